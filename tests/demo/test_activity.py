"""The activity of the demo is believable: skewed, in bursts, some of it late; and the same every time."""

import json
from collections import Counter

import pytest
from demo.activity import DURATION_MS, TOO_LATE_MS, activity, end_of_day
from demo.chart import columns, stacked_svg, ticks
from demo.feed import minutes

EVENTS = activity(20_000)


def test_the_same_seed_gives_the_same_activity() -> None:
    assert activity(20_000) == EVENTS
    assert activity(20_000, seed=10) != EVENTS


def test_there_are_as_many_events_as_were_asked_for() -> None:
    assert [len(activity(count)) for count in (1, 999, 20_000)] == [1, 999, 20_000]


def test_a_few_visitors_and_pages_are_most_of_the_traffic() -> None:
    visitors = Counter(event.visitor for event in EVENTS)
    busiest = sum(count for _visitor, count in visitors.most_common(len(visitors) // 5))
    assert busiest > 0.5 * len(EVENTS)
    assert visitors.most_common(1)[0][1] < 0.05 * len(EVENTS)
    assert Counter(event.what for event in EVENTS).most_common(1)[0][0] == "/"


def test_events_come_in_the_order_of_arrival_and_some_are_late() -> None:
    assert [event.arrives_ms for event in EVENTS] == sorted(event.arrives_ms for event in EVENTS)
    delays = [event.arrives_ms - event.at_ms for event in EVENTS]
    assert 0.02 < sum(delay > 60_000 for delay in delays) / len(EVENTS) < 0.06
    assert 0 < sum(delay > TOO_LATE_MS for delay in delays) < 0.01 * len(EVENTS)
    assert end_of_day().at_ms > max(event.at_ms for event in EVENTS) + DURATION_MS


def test_a_value_is_json_with_what_was_looked_at() -> None:
    for event in EVENTS[:200]:
        value = json.loads(event.value())
        assert value["visitor"] == event.visitor
        assert value["page" if event.kind == "page_view" else "query"] == event.what


def test_minutes_have_every_event_once() -> None:
    assert [event for minute in minutes(EVENTS) for event in minute] == EVENTS


@pytest.mark.parametrize(
    ("largest", "marks"),
    [
        (7953, [0, 2000, 4000, 6000, 8000]),
        (5000, [0, 1000, 2000, 3000, 4000, 5000]),
        (11, [0, 5, 10, 15]),
        (3, [0, 1, 2, 3]),
        (0, [0, 1]),
    ],
)
def test_an_axis_has_round_numbers_up_to_the_largest_value(largest: int, marks: list[int]) -> None:
    assert ticks(largest) == marks


def test_pictures_show_the_largest_value_highest() -> None:
    assert columns([1, 4, 2], height=2) == ["   ██   ", "▄▄ ██ ██"]
    svg = stacked_svg("a < b", ["17:00", "17:05"], {"/": [1, 2], "/sale": [3, 0]})
    assert "a &lt; b" in svg
    assert svg.count("<rect") == 1 + 4 + 2
