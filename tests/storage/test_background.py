"""The thread of a log directory: work in its turn, and none after the close."""

import queue
import threading

from ottla.storage.background import ThreadBackground


def test_work_runs_in_its_turn_and_its_outcome_goes_to_the_loop() -> None:
    told: queue.SimpleQueue[object] = queue.SimpleQueue()
    background = ThreadBackground("dir", told.put)
    ran: list[int] = []
    outcomes: list[Exception | None] = []
    for number in range(3):
        background.submit(lambda number=number: ran.append(number), outcomes.append)  # type: ignore[misc]
    background.submit(lambda: 1 / 0, outcomes.append)  # type: ignore[arg-type, return-value]
    background.close()
    for _ in range(4):
        told.get_nowait()()  # type: ignore[operator]
    assert ran == [0, 1, 2]
    assert [type(outcome) for outcome in outcomes] == [type(None)] * 3 + [ZeroDivisionError]


def test_work_submitted_after_the_close_is_not_run() -> None:
    """As the end of a flush does, on the loop, while a clean stop in its thread already writes the same files."""
    threads_before = threading.active_count()
    background = ThreadBackground("dir", lambda call: call())
    background.submit(lambda: None, lambda _: None)
    background.close()
    background.submit(lambda: 1 / 0, lambda _: None)  # type: ignore[arg-type, return-value]
    assert threading.active_count() == threads_before
