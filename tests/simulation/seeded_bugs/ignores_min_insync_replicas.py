"""acks=all is accepted whatever the size of the ISR."""

from ottla.replication.partition import Partition


def apply() -> None:
    Partition.has_enough_replicas = property(lambda self: True)  # type: ignore[method-assign,assignment]
