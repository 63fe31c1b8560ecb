"""How a broker for tests is configured: free port, small internal topics, groups that form at once."""

from collections.abc import Mapping
from pathlib import Path

HOST = "127.0.0.1"

TEST_PROPERTIES = {
    "listeners": f"PLAINTEXT://{HOST}:0",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
    "zookeeper.session.timeout.ms": "6000",
    "controlled.shutdown.retry.backoff.ms": "100",
}


def broker_properties(
    broker_id: int, directory: Path, zookeeper_connect: str, overrides: Mapping[str, object]
) -> dict[str, str]:
    """The keys of one broker; what the test gives comes last. True becomes `true`, as in a properties file."""
    own = {"broker.id": broker_id, "log.dirs": directory / f"logs-{broker_id}", "zookeeper.connect": zookeeper_connect}
    return {key: _text(value) for key, value in (TEST_PROPERTIES | own | dict(overrides)).items()}


def listener_at(address: str) -> str:
    """The `listeners` that keep a broker where it has been."""
    return f"PLAINTEXT://{address}"


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
