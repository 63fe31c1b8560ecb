"""KAFKA-6082: a controller's writes do not depend on its being in office."""

from collections.abc import Sequence

from ottla.controller.state_store import StateStore
from ottla.coordination.session import Op, OpResult


def apply() -> None:
    async def multi(self: StateStore, ops: Sequence[Op]) -> list[OpResult]:
        return await self._session.multi(ops)

    StateStore.multi = multi  # type: ignore[method-assign]
