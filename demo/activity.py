"""The activity of a web shop's visitors, made up but believable, and the same for the same seed.

A few visitors and a few pages are most of the traffic (Zipf's law), visits come in bursts with pauses between, and
the evening has its rush hour. Most events arrive within a second; some come from phones that were without a
network for minutes; a few come so late that the window they belong to is closed.
"""

import itertools
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

START = datetime(2026, 11, 15, 17, 0, tzinfo=UTC)
DURATION_MS = 2 * 60 * 60 * 1000
EVENTS_PER_VISITOR = 12
LATE_SHARE = 0.04
TOO_LATE_SHARE = 0.003
# A window is closed when an event came that is this much younger than its end (`jobs.WATERMARK`).
TOO_LATE_MS = 30 * 60 * 1000

PAGES = (
    "/", "/sale", "/lamps", "/chairs", "/tables", "/lamps/desk", "/chairs/oak", "/cart", "/shelves", "/rugs",
    "/tables/round", "/lamps/floor", "/help", "/beds", "/rugs/wool", "/mirrors", "/clocks", "/shelves/wall", "/about",
)  # fmt: skip
QUERIES = ("desk lamp", "oak chair", "wool rug", "wall clock", "round table", "blue mirror", "bed 140", "returns")


class Event(NamedTuple):
    """`at_ms` is when it happened, `arrives_ms` when the collector has it."""

    at_ms: int
    arrives_ms: int
    visitor: str
    kind: str
    what: str

    def value(self) -> bytes:
        """As the collector writes it to the topic."""
        at = datetime.fromtimestamp(self.at_ms / 1000, UTC).isoformat(timespec="milliseconds")
        name = "page" if self.kind == "page_view" else "query"
        return json.dumps({"at": at, "visitor": self.visitor, "event": self.kind, name: self.what}).encode()


def activity(count: int, seed: int = 9) -> list[Event]:
    """So many events, in the order of their arrival. The last visit may be cut short."""
    chance = random.Random(seed)
    visitors = max(50, count // EVENTS_PER_VISITOR)
    weights = list(itertools.accumulate(1 / (rank + 200) for rank in range(visitors)))
    events: list[Event] = []
    while len(events) < count:
        visitor = chance.choices(range(visitors), cum_weights=weights)[0]
        events.extend(_visit(chance, f"visitor-{visitor:04}"))
    return sorted(events[:count], key=lambda event: event.arrives_ms)


def end_of_day() -> Event:
    """An event long after all others: with it, all windows that had any are closed."""
    late = _start_ms() + DURATION_MS + 4 * 60 * 60 * 1000
    return Event(late, late, "collector", "page_view", "/health")


def _visit(chance: random.Random, visitor: str) -> Iterator[Event]:
    at = _start_ms() + int(chance.triangular(0, DURATION_MS, 0.7 * DURATION_MS))
    end = _start_ms() + DURATION_MS
    for _ in range(1 + int(chance.expovariate(1 / 8))):
        if at >= end:
            return
        kind, what = _look(chance)
        yield Event(at, at + _delay(chance), visitor, kind, what)
        at += 2_000 + int(chance.expovariate(1 / 35_000))


def _look(chance: random.Random) -> tuple[str, str]:
    if chance.random() < 0.15:
        return "search", chance.choices(QUERIES, _zipf(len(QUERIES)))[0]
    return "page_view", chance.choices(PAGES, _zipf(len(PAGES)))[0]


def _delay(chance: random.Random) -> int:
    luck = chance.random()
    if luck < TOO_LATE_SHARE:
        return TOO_LATE_MS + chance.randrange(30 * 60 * 1000)
    if luck < LATE_SHARE:
        return chance.randrange(60_000, 9 * 60_000)
    return chance.randrange(20, 900)


def _zipf(count: int) -> list[float]:
    return [1 / rank for rank in range(1, count + 1)]


def _start_ms() -> int:
    return int(START.timestamp() * 1000)
