"""Streams: the high-level consumer of Kafka's first manual. Each is iterated over by a thread of its own.

There, a consumer had as many streams per topic as it asked for, and the partitions of the group's topics were divided
over all streams of all its consumers. So it is here: every stream is a member of the group.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from ottla.clients.consumer.core import WakeupError
from ottla.clients.consumer.record import ConsumerRecord
from ottla.clients.errors import IllegalStateError

if TYPE_CHECKING:
    from ottla.clients.consumer.consumer import Consumer


class Stream:
    """Records of some partitions: `for record in stream`. The loop ends when the stream is closed."""

    def __init__(self, consumer: "Consumer") -> None:
        self._consumer = consumer
        self._closing = threading.Event()
        self._idle = threading.Lock()

    def __iter__(self) -> Iterator[ConsumerRecord]:
        with self._idle:
            try:
                while not self._closing.is_set():
                    yield from self._consumer
            except WakeupError:
                if not self._closing.is_set():
                    raise

    def commit(self) -> None:
        """Commit what this stream has read."""
        self._consumer.commit()

    def close(self) -> None:
        """End the loop over it, after the record that is being worked on, and leave the group."""
        self._closing.set()
        self._consumer.wakeup()
        # A loop that was broken off holds no lock; one that runs ends as soon as it asks for the next record.
        if self._idle.acquire(timeout=30):
            self._idle.release()
        self._consumer.close()


def make_streams(
    new_member: "Callable[[], Consumer]",
    counts: Mapping[str, int] | None,
    pattern: str | None,
    exclude: str | None,
    count: int,
) -> dict[str, list[Stream]]:
    """By topic, or all under the name "" for a pattern."""
    if (counts is None) == (pattern is None):
        raise IllegalStateError("streams are made for topics with counts, or for a pattern")
    if pattern is not None:
        return {"": [_stream(new_member(), (), pattern, exclude) for _ in range(count)]}
    assert counts is not None
    return {topic: [_stream(new_member(), (topic,), None, None) for _ in range(n)] for topic, n in counts.items()}


def _stream(consumer: "Consumer", topics: tuple[str, ...], pattern: str | None, exclude: str | None) -> Stream:
    consumer.subscribe(topics, pattern=pattern, exclude=exclude)
    return Stream(consumer)
