"""ZooKeeper at a distance: answers and watches take their time, in order, and a request may be lost on the way back.

What a session asks is executed when it asks; a controller that hears late of what others did is thereby as late as a
real one. When the connection or the session goes, writes whose answers were on the way have unknown outcomes.
"""

import random
from collections.abc import Callable
from typing import Any

from ottla.coordination import paths
from ottla.coordination.errors import ConnectionLossError, SessionExpiredError
from ottla.coordination.operations import Delete
from ottla.coordination.planner import Caller
from ottla.testing.memory_session import MemorySession, MemoryZooKeeper
from simulation.virtual_loop import VirtualClock


class DistantZooKeeper(MemoryZooKeeper):
    def __init__(self, clock: VirtualClock, chance: random.Random, delay_max_s: float) -> None:
        super().__init__(clock)
        self._chance = chance
        self._delay_max_s = delay_max_s

    def delay(self) -> float:
        longest = self._delay_max_s if self._chance.random() < 0.05 else self._delay_max_s / 10
        return self._chance.random() * longest

    def distant_session(self, timeout_ms: int) -> "DistantSession":
        return DistantSession(self, timeout_ms)

    def depose_controller(self) -> bool:
        """Somebody deletes /controller by hand: the old controller's session lives on."""
        if paths.CONTROLLER not in self.tree.nodes:
            return False
        self.execute(Delete(paths.CONTROLLER, -1), Caller(0, ()))
        return True


class DistantSession(MemorySession):
    def __init__(self, zookeeper: DistantZooKeeper, timeout_ms: int) -> None:
        super().__init__(zookeeper, timeout_ms)
        self._distance = zookeeper
        self._arrival = 0.0
        self._unanswered: dict[Any, bool] = {}

    def _arrive(self, callback: Callable[..., None], *args: Any) -> None:
        self._arrival = max(self._arrival, self._loop.time()) + self._distance.delay()
        self._loop.call_at(self._arrival, callback, *args)

    def _answer(self, request: Any, result: Any) -> None:
        self._unanswered[request.future] = request.write
        request.future.add_done_callback(lambda future: self._unanswered.pop(future, None))
        super()._answer(request, result)

    def disconnect(self) -> None:
        super().disconnect()
        self._fail_unanswered(ConnectionLossError("connection lost during a write"), writes_only=True)

    def _expire(self) -> None:
        self._fail_unanswered(SessionExpiredError("the session is over"), writes_only=False)
        super()._expire()

    def _fail_unanswered(self, error: Exception, *, writes_only: bool) -> None:
        for future, is_write in list(self._unanswered.items()):
            if not future.done() and (is_write or not writes_only):
                future.set_exception(error)
