import asyncio
from typing import Any

from ottla.coordination.request_window import IN_FLIGHT_MAX, Request, RequestWindow
from support.coroutines import on_event_loop


def request(convert: Any = lambda value: value) -> Request:
    return Request(lambda link, done: None, "/a", convert, False, asyncio.get_running_loop().create_future())


@on_event_loop
async def test_request_whose_answer_cannot_be_converted_is_done_with_that_error_and_the_next_one_is_sent() -> None:
    """Whatever goes wrong: a future that is never done stops everybody who waits behind it."""
    window = RequestWindow()

    def fail(value: Any) -> Any:
        raise KeyError("an error that nobody expected")

    first = request(fail)
    others = [request() for _ in range(IN_FLIGHT_MAX)]
    assert window.admit(first)
    assert [window.admit(one) for one in others].count(False) == 1
    first.settle("value", None)
    assert isinstance(first.future.exception(), KeyError)
    assert window.release(first) is others[-1]
