"""Sends the activity to its topic as it arrives: a simulated minute every tenth of a second, visitors as keys."""

import threading
import time
from collections.abc import Iterator, Sequence
from itertools import groupby

import ottla
from demo.activity import Event
from ottla.errors import OttlaError

MINUTE_MS = 60_000
MINUTE_SECONDS = 0.1


class Feed(threading.Thread):
    """The collector of the shop. `sent` counts while it runs; an error of the producer is raised by `finish`."""

    def __init__(self, servers: str, topic: str, events: Sequence[Event]) -> None:
        super().__init__(name="feed", daemon=True)
        self.sent = 0
        self._servers = servers
        self._topic = topic
        self._events = events
        self._error: Exception | None = None

    def run(self) -> None:
        try:
            with ottla.Producer(self._servers, linger_ms=5, compression_type="zstd") as producer:
                for minute in minutes(self._events):
                    send(producer, self._topic, minute)
                    self.sent += len(minute)
                    time.sleep(MINUTE_SECONDS)
        except OttlaError as error:
            self._error = error

    def finish(self) -> None:
        self.join()
        if self._error is not None:
            raise self._error


def minutes(events: Sequence[Event]) -> Iterator[list[Event]]:
    """The events in groups that arrive in the same minute."""
    for _minute, group in groupby(events, lambda event: event.arrives_ms // MINUTE_MS):
        yield list(group)


def send(producer: ottla.Producer, topic: str, events: Sequence[Event]) -> None:
    values = [event.value() for event in events]
    keys = [event.visitor.encode() for event in events]
    producer.send_many(topic, values, keys).result(30)
