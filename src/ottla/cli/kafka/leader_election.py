"""`kafka-leader-election`, and the manual's `kafka-preferred-replica-election --zookeeper`."""

import json
import sys
from argparse import Namespace
from collections.abc import Collection, Sequence
from pathlib import Path

from ottla.cli.kafka.clients import brokers_in_zookeeper, open_admin
from ottla.cli.kafka.java import exception_name, exception_text
from ottla.cli.kafka.options import ToolOptions
from ottla.clients.admin.types import ElectionType
from ottla.errors import KafkaError
from ottla.errors.kafka import ElectionNotNeededError
from ottla.errors.tree import OperatorError
from ottla.model import TopicPartition


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka-leader-election", "Elect leaders.")
    options.value("--bootstrap-server", required=True)
    options.value("--admin.config", help="file with properties of the client")
    options.value("--election-type", required=True, help="preferred or unclean")
    options.value("--path-to-json-file", help='{"partitions": [{"topic", "partition"}]}')
    options.value("--topic")
    options.value("--partition", type=int)
    options.flag("--all-topic-partitions")
    given = options.parse(arguments)
    given_ways = [given.topic is not None, given.path_to_json_file is not None, given.all_topic_partitions]
    if sum(given_ways) != 1:
        options.fail("One and only one of the following options is required: "
                     "--topic, --all-topic-partitions, --path-to-json-file")  # fmt: skip
    if (given.topic is None) != (given.partition is None):
        options.fail(
            "Missing required option(s): --partition" if given.topic else "Missing required option(s): --topic"
        )
    try:
        kind = ElectionType[given.election_type.upper()]
    except KeyError:
        options.fail(f"Cannot parse argument '{given.election_type}' of option election-type")
    return _elect(given, kind, _partitions(given))


def _partitions(given: Namespace) -> list[TopicPartition] | None:
    if given.topic is not None:
        return [TopicPartition(given.topic, given.partition)]
    return None if given.all_topic_partitions else read_partitions(given.path_to_json_file)


def _elect(given: Namespace, kind: ElectionType, partitions: Collection[TopicPartition] | None) -> int:
    with open_admin(given.bootstrap_server, given.admin_config) as admin:
        outcomes = admin.elect_leaders(kind, partitions)
    not_needed = {one for one, error in outcomes.errors.items() if isinstance(error, ElectionNotNeededError)}
    failed = {one: error for one, error in outcomes.errors.items() if one not in not_needed}
    if outcomes.results:
        names = ", ".join(map(str, sorted(outcomes.results)))
        print(f"Successfully completed leader election ({kind.name}) for partitions {names}")
    if not_needed and partitions is not None:
        print(f"Valid replica already elected for partitions {', '.join(map(str, sorted(not_needed)))}")
    for partition, error in sorted(failed.items()):
        print(f"Error completing leader election ({kind.name}) for partition: {partition}: {_exception(error)}")
    if failed:
        sys.stdout.flush()
        print(f"{len(failed)} replica(s) could not be elected", file=sys.stderr)
        return 1
    return 0


def _exception(error: KafkaError) -> str:
    return f"{exception_name(error)}: {exception_text(error)}"


def read_partitions(path: str) -> list[TopicPartition]:
    try:
        entries = json.loads(Path(path).read_text())["partitions"]
        return [TopicPartition(entry["topic"], int(entry["partition"])) for entry in entries]
    except OSError as error:
        raise OperatorError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise OperatorError(f"{path} is not of the form {{'partitions': [...]}}: {error!r}") from error


def preferred_replica_election(arguments: Sequence[str]) -> int:
    """The manual's tool: starts the election and says for which partitions."""
    options = ToolOptions("kafka-preferred-replica-election", "Give leadership back to the preferred replicas.")
    options.value("--zookeeper", help="host:port/chroot")
    options.value("--bootstrap-server")
    options.value("--path-to-json-file", help='{"partitions": [{"topic", "partition"}]}; without it, all partitions')
    given = options.parse(arguments)
    if not given.zookeeper and not given.bootstrap_server:
        options.fail('Missing required argument "[zookeeper]"')
    wanted = read_partitions(given.path_to_json_file) if given.path_to_json_file else None
    server = given.bootstrap_server or brokers_in_zookeeper(given.zookeeper)
    with open_admin(server) as admin:
        if wanted is None:
            described = admin.describe_topics(admin.list_topics(include_internal=True)).results
            wanted = [TopicPartition(name, one.partition) for name, found in described.items()
                      for one in found.partitions]  # fmt: skip
        outcomes = admin.elect_leaders(ElectionType.PREFERRED, wanted) if wanted else None
    failed = [one for one, error in (outcomes.errors if outcomes else {}).items()
              if not isinstance(error, ElectionNotNeededError)]  # fmt: skip
    names = ", ".join(f"[{one.topic},{one.partition}]" for one in sorted(set(wanted) - set(failed)))
    print(f"Successfully started preferred replica election for partitions Set({names})")
    for partition in failed:
        print(f"Failed to start preferred replica election for [{partition.topic},{partition.partition}]")
    return 1 if failed else 0
