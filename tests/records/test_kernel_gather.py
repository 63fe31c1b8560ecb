"""The kernel that gathers records, in both forms: places, room, columns of one length, and threads that meet."""

import sys
import threading
from collections.abc import Iterator
from time import time
from typing import Any

import pytest

from ottla.records.kernels.loading import load_interpreted, load_kernel

FORMS = {
    "installed": load_kernel("kernel_gather"),
    "interpreted": load_interpreted("kernel_gather", "tests.records.interpreted.kernel_gather"),
}
OWNER = object()
THREADS, EACH = 4, 5_000


class Ticket(tuple[Any, int]):
    __slots__ = ()


@pytest.fixture(params=FORMS.values(), ids=FORMS.keys())
def kernel(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def switching_often() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def gathered(kernel: Any, limit: int = 1_000_000) -> Any:
    records = kernel.Gathered(Ticket, limit)
    records.owner = OWNER
    return records


def test_tickets_name_the_owner_and_the_place(kernel: Any) -> None:
    records = gathered(kernel)
    tickets = [records.add(b"a", None, None, 5), records.add(None, None, None, 6)]
    assert tickets == [(OWNER, 0), (OWNER, 1)]
    assert all(type(ticket) is Ticket for ticket in tickets)
    assert (records.values, records.timestamps) == ([b"a", None], [5, 6])


def test_columns_that_begin_late_are_filled_with_none(kernel: Any) -> None:
    records = gathered(kernel)
    records.add(b"a", None, None, 1)
    records.add(b"b", b"key", None, 1)
    records.add(b"c", None, b"headers", 1, print)
    records.add(b"d", None, None, 1)
    records.close()
    assert records.keys == [None, b"key", None, None]
    assert records.headers == [None, None, b"headers", None]
    assert (records.callbacks, records.callback_places) == ([print], [2])


def test_size_counts_every_part_and_stops_at_the_limit(kernel: Any) -> None:
    records = gathered(kernel, limit=3 * kernel.RECORD_OVERHEAD + 6)
    assert records.add(b"12", b"3", b"45", 1) is not None
    assert records.size == kernel.RECORD_OVERHEAD + 5
    assert records.add(b"x" * 50, None, None, 1) is None
    assert records.add(b"6", None, None, 1) is not None
    assert len(records.values) == 2


def test_a_record_above_the_limit_is_taken_alone(kernel: Any) -> None:
    records = gathered(kernel, limit=5)
    assert records.add(b"x" * 50, None, None, 1) == (OWNER, 0)
    assert records.add(b"", None, None, 1) is None


def test_nothing_is_added_to_what_is_closed(kernel: Any) -> None:
    records = gathered(kernel)
    records.add(b"a", None, None, 1)
    assert records.close() == kernel.RECORD_OVERHEAD + 1
    assert records.add(b"b", b"key", b"headers", 1, print) is None
    assert records.values == [b"a"]


def test_now_is_the_time_in_milliseconds(kernel: Any) -> None:
    records = gathered(kernel)
    before = int(time() * 1000)
    records.add(b"a", None, None, kernel.NOW)
    assert before <= records.timestamps[0] <= time() * 1000


@pytest.mark.parametrize("value", [3, "text", bytearray(b"x")])
def test_what_is_not_bytes_is_refused_by_the_compiled_form(value: object) -> None:
    records = gathered(FORMS["installed"])
    if str(FORMS["installed"].__file__).endswith(".py"):
        pytest.skip("the kernels are not compiled here")
    with pytest.raises(TypeError):
        records.add(value, None, None, 1)
    assert records.values == []


def test_threads_that_add_at_once_each_get_a_place_of_their_own(kernel: Any, switching_often: None) -> None:
    """Every kind of record, while another thread closes the batch: what has a ticket is there, whole, at its place."""
    records = gathered(kernel, limit=1 << 40)
    tickets: list[tuple[int, int, int]] = []
    enough = threading.Event()

    def add(thread: int) -> None:
        for number in range(EACH):
            name = b"%d-%d" % (thread, number)
            ticket = records.add(name, name if number % 3 == 0 else None, name if number % 5 == 0 else None, number)
            if ticket is None:
                return
            tickets.append((ticket[1], thread, number))
            if len(tickets) > THREADS * EACH * 3 // 4:
                enough.set()

    threads = [threading.Thread(target=add, args=(thread,)) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    assert enough.wait(60)
    records.close()
    closed = len(records.values)
    for thread in threads:
        thread.join()
    assert len(records.values) == len(records.timestamps) == len(records.keys) == len(records.headers) == closed
    assert sorted(place for place, _, _ in tickets) == list(range(closed))
    for place, thread, number in tickets:
        name = b"%d-%d" % (thread, number)
        assert (records.values[place], records.timestamps[place]) == (name, number)
        assert records.keys[place] == (name if number % 3 == 0 else None)
        assert records.headers[place] == (name if number % 5 == 0 else None)


def test_threads_that_begin_a_column_at_once_lose_nothing(kernel: Any, switching_often: None) -> None:
    for _ in range(300):
        records = gathered(kernel)
        together = threading.Barrier(THREADS)
        places: dict[int, bytes] = {}

        def add(name: bytes, records: Any = records, together: Any = together, places: Any = places) -> None:
            together.wait()
            places[records.add(name, name, name, 1, name)[1]] = name

        threads = [threading.Thread(target=add, args=(b"%d" % number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        records.close()
        names = [places[place] for place in range(THREADS)]
        assert records.values == records.keys == records.headers == names
        assert dict(zip(records.callback_places, records.callbacks, strict=True)) == places


def test_a_ticket_names_its_owner_though_the_batch_is_complete_by_then(kernel: Any, switching_often: None) -> None:
    for _ in range(300):
        records = gathered(kernel)
        tickets: list[Any] = []

        def add(records: Any = records, tickets: Any = tickets) -> None:
            while (ticket := records.add(b"a", None, None, 1)) is not None:
                tickets.append(ticket)

        thread = threading.Thread(target=add)
        thread.start()
        while not records.values:
            pass
        records.close()
        records.owner = None  # as the sender does when the batch is done
        thread.join()
        assert [ticket[0] for ticket in tickets] == [OWNER] * len(tickets)
