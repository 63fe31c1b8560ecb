"""A handler that is a plain function, made to answer a long request part by part.

One event loop serves everybody: between two parts the requests of others have their turn. A short request is answered
at once. How many elements a request may have at all is checked while it is decoded (`protocol.reader_compiler`).
"""

import asyncio
from collections.abc import Callable, Coroutine
from copy import copy
from typing import Any, TypeVar

from ottla.clock.turns import ELEMENTS_PER_TURN
from ottla.handlers.context import RequestContext

Answer = TypeVar("Answer")


def in_parts(
    handle: Callable[[RequestContext, Any], Answer], asked: str, answered: str
) -> Callable[[RequestContext, Any], Answer | Coroutine[Any, Any, Answer]]:
    """`asked` and `answered` are the arrays of the request and of its response; an element must not mind the others."""

    def handle_in_parts(context: RequestContext, request: Any) -> Answer | Coroutine[Any, Any, Answer]:
        if len(getattr(request, asked)) <= ELEMENTS_PER_TURN:
            return handle(context, request)
        return _answer_in_parts(handle, asked, answered, context, request)

    return handle_in_parts


async def _answer_in_parts(
    handle: Callable[[RequestContext, Any], Answer], asked: str, answered: str, context: RequestContext, request: Any
) -> Answer:
    elements = getattr(request, asked)
    part = copy(request)
    setattr(part, asked, elements[:ELEMENTS_PER_TURN])
    answer = handle(context, part)
    for start in range(ELEMENTS_PER_TURN, len(elements), ELEMENTS_PER_TURN):
        await asyncio.sleep(0)
        setattr(part, asked, elements[start : start + ELEMENTS_PER_TURN])
        getattr(answer, answered).extend(getattr(handle(context, part), answered))
    return answer
