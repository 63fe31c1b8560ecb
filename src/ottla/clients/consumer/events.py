"""What a consumer's core has for its face: data, or news about its partitions that the user must hear first.

The face calls the user's listener, in the user's own thread or task, and then asks for the next event: only then does
the core go on. So a listener may commit or seek before anything else happens.
"""

from collections.abc import Collection
from typing import NamedTuple, Protocol

from ottla.model import TopicPartition


class Revoked(NamedTuple):
    """These partitions go to others. They are still this consumer's: their positions can be committed now."""

    partitions: frozenset[TopicPartition]


class Lost(NamedTuple):
    """These partitions belong to others already: a commit would fail."""

    partitions: frozenset[TopicPartition]


class Assigned(NamedTuple):
    """These partitions were added. A seek now decides where they are read from."""

    partitions: frozenset[TopicPartition]


RebalanceEvent = Revoked | Lost | Assigned


class RebalanceListener(Protocol):
    """What may be given to `subscribe`. Every method may be missing; without on_lost, on_revoked is called."""

    def on_assigned(self, partitions: Collection[TopicPartition]) -> object: ...
    def on_revoked(self, partitions: Collection[TopicPartition]) -> object: ...
    def on_lost(self, partitions: Collection[TopicPartition]) -> object: ...


def listener_method(listener: object, event: RebalanceEvent) -> str | None:
    """The name of the method that an event is for, if the listener has it."""
    names = {Assigned: ["on_assigned"], Revoked: ["on_revoked"], Lost: ["on_lost", "on_revoked"]}[type(event)]
    return next((name for name in names if hasattr(listener, name)), None)
