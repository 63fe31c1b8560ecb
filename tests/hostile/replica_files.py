"""The log files of a partition as its brokers have them on disk."""

from contextlib import suppress
from pathlib import Path

from hostile.batches import Batches
from ottla.errors.kafka import CorruptMessageError
from ottla.records.batch import iterate_batches
from support.broker import BrokerProcess
from support.cluster import Cluster
from support.eventually import eventually


def batches_on_disk(broker: BrokerProcess, topic: str, partition: int = 0) -> Batches:
    """Of a damaged file what lies before the damage."""
    found = Batches()
    for path in sorted(Path(broker.log_dir, f"{topic}-{partition}").glob("*.log")):
        data = path.read_bytes()
        with suppress(CorruptMessageError):
            for position, header in iterate_batches(data, partial_tail=True):
                found[header.base_offset] = data[position : position + header.size_bytes]
    return found


def assert_replicas_end_equal(cluster: Cluster, topic: str) -> None:
    def are_equal() -> bool:
        first, *others = (batches_on_disk(broker, topic) for broker in cluster.brokers.values())
        return bool(first) and all(other == first for other in others)

    eventually(are_equal)
