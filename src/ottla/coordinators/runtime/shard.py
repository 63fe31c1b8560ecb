"""What the runtime needs of a shard: the state that the records of one partition make, and what is done with it.

A shard is pure: it has no clock, no log and no timers, and never suspends. Requests reach it as functions
`(request, waiter, step)` that the coordinator runs through `CoordinatorRuntime.handle`.

The things in a shard that have deadlines (a group, a transactional id) are its units, known by their names. A step is
about one unit, and the runtime keeps one timer for each: after a step it asks `wake_at_ms`, and calls `tick` then.
"""

from typing import Protocol, TypeVar

from ottla.coordinators.runtime.step import KeyValue, Step, Transaction


class Shard(Protocol):
    def replay(self, record: KeyValue, record_offset: int, transaction: Transaction | None) -> None:
        """Apply a record of the log; `record_offset` is that of its batch.

        A record of a transaction is staged: it counts when `replay_end_transaction` says so. At loading only the last
        record of a key comes, in the order in which the keys appeared; a key whose last record is a tombstone does not.
        DecodeError: the record is skipped, with a warning.
        """
        ...

    def replay_end_transaction(self, transaction: Transaction, *, is_committed: bool) -> None:
        """Apply the marker of a transaction, at loading as when it has been appended and replicated here."""
        ...

    def loaded(self, step: Step) -> None:
        """All records are replayed. Deadlines begin anew: they are not in the log."""
        ...

    def unloaded(self, step: Step) -> None:
        """Another broker is the coordinator from now on: respond to whoever waits. Appends of this step are refused."""
        ...

    def units(self) -> list[str]:
        """The names of those that may have deadlines."""
        ...

    def wake_at_ms(self, unit: str) -> float:
        """When the unit wants its `tick`; NEVER when it has gone. Later is allowed only after a `tick`."""
        ...

    def tick(self, unit: str, step: Step) -> None:
        """Do what is due. Afterwards `wake_at_ms` is past `step.now_ms`."""
        ...


ShardT = TypeVar("ShardT", bound=Shard)
