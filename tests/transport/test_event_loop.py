import socket

from ottla.transport.event_loop import BusyTimeSelector


def test_a_step_is_the_time_from_one_select_to_the_next() -> None:
    times = iter([1.0, 1.5, 2.0, 5.0, 6.0])
    selector = BusyTimeSelector(lambda: next(times))
    selector.select(0)  # wakes at 1.0
    selector.select(0)  # began at 1.5, wakes at 2.0
    selector.select(0)  # began at 5.0, wakes at 6.0
    assert selector.busy == 3.5
    assert selector.turns == 3
    assert selector.take_longest_step() == 3.0
    assert selector.take_longest_step() == 0.0
    selector.close()


def test_it_selects_as_the_systems_selector_does() -> None:
    left, right = socket.socketpair()
    selector = BusyTimeSelector()
    selector.register(left, 1)
    assert selector.select(0) == []
    right.send(b"x")
    ((key, _),) = selector.select(1)
    assert key.fileobj is left
    selector.close()
    left.close()
    right.close()
