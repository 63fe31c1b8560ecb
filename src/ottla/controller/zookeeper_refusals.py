"""What a client is told when ZooKeeper refuses what it asked for: Kafka's errors for those of ZooKeeper."""

from ottla.coordination import paths
from ottla.coordination.errors import QuotaExceededError, RequestTooLargeError, ZooKeeperError
from ottla.errors import KafkaError
from ottla.errors.kafka import InvalidConfigError, PolicyViolationError, UnknownServerError


def kafka_error(error: ZooKeeperError) -> KafkaError:
    if isinstance(error, RequestTooLargeError):
        too_large = InvalidConfigError if error.path.startswith(paths.CONFIG) else PolicyViolationError
        return too_large(str(error))
    if isinstance(error, QuotaExceededError):
        return PolicyViolationError(f"ZooKeeper holds as much as it may ({error}): delete topics or configs first.")
    return UnknownServerError(f"ZooKeeper refuses: {error}")
