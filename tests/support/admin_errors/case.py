"""One row of the table."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from ottla.protocol.message import Request
from support.admin_errors.world import World

MakeRequest: TypeAlias = Callable[[World], Request]


class Case(NamedTuple):
    """`name` is unique. Where a request needs what a broker gave out (an id of a topic), it is made of the world.

    `until`: a change is seen when the answer has this text, which may be a moment later; ask again till then.
    """

    name: str
    version: int
    request: Request | MakeRequest
    until: str = ""

    def make(self, world: World) -> Request:
        return self.request if isinstance(self.request, Request) else self.request(world)
