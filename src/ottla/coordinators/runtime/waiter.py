"""A response that may not be there yet: to a JoinGroup that waits for others, to a commit that is being replicated."""

import asyncio
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

Result = TypeVar("Result")
Converted = TypeVar("Converted")

_NOTHING: Any = object()


class Waiter(Generic[Result]):
    """Most responses are there before anybody asks: then no future is made."""

    __slots__ = ("_future", "_result")

    def __init__(self) -> None:
        self._result: Result = _NOTHING
        self._future: asyncio.Future[Result] | None = None

    def resolve(self, result: Result) -> None:
        if self._future is None:
            self._result = result
        elif not self._future.done():  # A client that went away has cancelled it.
            self._future.set_result(result)

    def outcome(self) -> "Result | asyncio.Future[Result]":
        """The response, or where it will be."""
        if self._result is not _NOTHING:
            return self._result
        self._future = asyncio.get_running_loop().create_future()
        return self._future


def converted(
    outcome: "Result | asyncio.Future[Result]", convert: Callable[[Result], Converted]
) -> "Converted | asyncio.Future[Converted]":
    """The same response in another form, now or later."""
    if not isinstance(outcome, asyncio.Future):
        return convert(outcome)
    source = cast("asyncio.Future[Result]", outcome)
    target: asyncio.Future[Converted] = source.get_loop().create_future()

    def pass_on(done: "asyncio.Future[Result]") -> None:
        if not target.done() and not done.cancelled():
            target.set_result(convert(done.result()))

    source.add_done_callback(pass_on)
    return target
