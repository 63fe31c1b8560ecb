"""Between fetched data and the user: takes records out in pieces, and knows exactly which of them the user has.

Owned by the face, used in the user's own thread. A piece is given to the user as a list (`take`), or one record at a
time (`hand_over`): then the position follows the iterator, so that a commit in the middle of a loop is right, without a
single instruction per record: how many are left in a list's iterator can be asked (`length_hint`).
"""

from collections import deque
from collections.abc import Iterator
from itertools import islice
from operator import length_hint

from ottla.clients.consumer.fetched import FetchedPartition
from ottla.clients.consumer.record import ConsumerRecord
from ottla.clients.errors import SerializationError
from ottla.clients.interceptors import ConsumerInterceptors
from ottla.clients.serializers import Deserializer


class Reader:
    def __init__(
        self,
        key_deserializer: Deserializer | None,
        value_deserializer: Deserializer | None,
        interceptors: ConsumerInterceptors,
    ) -> None:
        self._interceptors = interceptors
        self._key_deserializer = key_deserializer
        self._value_deserializer = value_deserializer
        self._waiting: deque[FetchedPartition] = deque()
        # What the user is iterating over: the data it came from, the rows, and how far it is.
        self._handed: tuple[FetchedPartition, int, list[ConsumerRecord], Iterator[ConsumerRecord]] | None = None

    def accept(self, fetched: FetchedPartition) -> None:
        self._waiting.append(fetched)

    def take(self, rows_max: int) -> list[ConsumerRecord]:
        """The next records, as many as there are of one batch; an empty list when there are none here."""
        if (iterator := self.leftover()) is not None:
            rows = list(islice(iterator, rows_max))
            self.settle()
            return rows
        self.settle()
        while (fetched := self._current()) is not None:
            taken = fetched.take(rows_max)
            rows = self._interceptors.on_consume(self._deserialized(fetched, taken))
            fetched.state.position = fetched.position
            if rows:
                fetched.state.leader_epoch = rows[-1].leader_epoch
                return rows
            if not taken:
                self._waiting.popleft()
        return []

    def _current(self) -> FetchedPartition | None:
        """The first data that is still wanted and whose partition is not paused, moved to the front."""
        for _ in range(len(self._waiting)):
            fetched = self._waiting[0]
            if fetched.is_stale:
                self._waiting.popleft()
            elif fetched.state.is_paused:
                self._waiting.rotate(-1)
            else:
                return fetched
        return None

    def _deserialized(self, fetched: FetchedPartition, rows: list[ConsumerRecord]) -> list[ConsumerRecord]:
        if self._key_deserializer is None and self._value_deserializer is None:
            return rows
        done: list[ConsumerRecord] = []
        for row in rows:
            try:
                done.append(row._replace(key=self._key_of(row), value=self._value_of(row)))
            except SerializationError as error:
                if not done:
                    fetched.state.seek(row.offset)
                    where = f"{row.topic}-{row.partition} at offset {row.offset}: seek past it to go on"
                    raise SerializationError(f"{error} ({where})") from error
                fetched.state.seek(row.offset)
                fetched.position = row.offset
                break
        return done

    def _key_of(self, row: ConsumerRecord) -> object:
        deserializer = self._key_deserializer
        return row.key if deserializer is None or row.key is None else deserializer(row.key)

    def _value_of(self, row: ConsumerRecord) -> object:
        deserializer = self._value_deserializer
        return row.value if deserializer is None or row.value is None else deserializer(row.value)

    # One record at a time

    def hand_over(self, rows: list[ConsumerRecord]) -> Iterator[ConsumerRecord]:
        """An iterator over rows that were just taken. Until it is at its end the user has only part of them."""
        fetched = self._waiting[0]
        iterator = iter(rows)
        self._handed = fetched, fetched.position, rows, iterator
        return iterator

    def leftover(self) -> Iterator[ConsumerRecord] | None:
        """What is left of an iteration that was broken off."""
        if self._handed is None:
            return None
        fetched, _, _, iterator = self._handed
        return iterator if length_hint(iterator) and not fetched.is_stale else None

    def settle(self) -> None:
        """Set the position of the partition that is being iterated over to what the user has not got yet."""
        if self._handed is None:
            return
        fetched, end_position, rows, iterator = self._handed
        left = length_hint(iterator)
        if not left or fetched.is_stale:
            self._handed = None
        if not fetched.is_stale:
            fetched.state.position = rows[-left].offset if left else end_position

    def drop_leftover(self) -> None:
        """Before a seek or another change of what is read: the iteration goes on with what is read then."""
        self.settle()
        if self._handed is not None:
            fetched, _, rows, _ = self._handed
            if not fetched.is_stale and fetched.state.position is not None:
                fetched.state.seek(fetched.state.position)
            rows.clear()
            self._handed = None

    def take_fetched(self) -> list[FetchedPartition]:
        """All data that is here and wanted, to be taken as columns."""
        self.drop_leftover()
        wanted = [fetched for fetched in self._waiting if not fetched.is_stale and not fetched.state.is_paused]
        self._waiting = deque(fetched for fetched in self._waiting if fetched.state.is_paused)
        return wanted

    @property
    def has_data(self) -> bool:
        return self._current() is not None
