"""Who is the controller: the broker that owns /controller, in the epoch that /controller_epoch counts.

    multi [ create /controller (ephemeral), set /controller_epoch = epoch + 1 at the version it was read with ]

Both or neither: there is never a controller without its own epoch. The version of /controller_epoch after that write
is what every later write of this controller checks; the next controller changes it, and the old one is out.
"""

import contextlib
from collections.abc import Callable
from typing import NamedTuple

from ottla.clock import Clock
from ottla.controller.attempts import Attempts
from ottla.coordination import paths
from ottla.coordination.errors import BadVersionError, ConnectionLossError, NodeExistsError, NoNodeError
from ottla.coordination.payloads.cluster import ControllerInfo, decode_controller_epoch, encode_controller_epoch
from ottla.coordination.session import CheckOp, CreateOp, DeleteOp, Session, SetOp, WatchEvent
from ottla.coordination.stat import Stat


class ControllerMovedError(Exception):
    """Another broker is the controller now: whatever was being done must stop. Never leaves the controller."""


class Elected(NamedTuple):
    epoch: int
    epoch_version: int


class OtherController(NamedTuple):
    broker_id: int


class ControllerElection:
    def __init__(self, session: Session, broker_id: int, clock: Clock, on_change: Callable[[WatchEvent], None]) -> None:
        self._session = session
        self._broker_id = broker_id
        self._clock = clock
        self._on_change = on_change

    async def run(self) -> Elected | OtherController:
        """Become the controller, or learn who is. From then on `on_change` tells when /controller changes."""
        attempts = Attempts()
        while True:
            current = await self._current()
            if current is not None:
                return current
            try:
                return await self._register()
            except (NodeExistsError, BadVersionError, ConnectionLossError) as error:
                await attempts.failed(error)  # somebody was faster, or we cannot know: look again

    async def _current(self) -> Elected | OtherController | None:
        try:
            data, stat = await self._session.get(paths.CONTROLLER, self._on_change)
        except NoNodeError:
            return None
        if stat.ephemeral_owner == self._session.session_id:
            epoch, epoch_stat = await self._epoch()
            return Elected(epoch, epoch_stat.version)
        return OtherController(ControllerInfo.decode(paths.CONTROLLER, data).broker_id)

    async def _register(self) -> Elected:
        epoch, stat = await self._epoch()
        info = ControllerInfo(self._broker_id, self._clock.wall_ms())
        results = await self._session.multi(
            [
                CreateOp(paths.CONTROLLER, info.encode(), ephemeral=True),
                SetOp(paths.CONTROLLER_EPOCH, encode_controller_epoch(epoch + 1), stat.version),
            ]
        )
        written = results[1]
        assert isinstance(written, Stat)
        await self._session.exists(paths.CONTROLLER, self._on_change)
        return Elected(epoch + 1, written.version)

    async def _epoch(self) -> tuple[int, Stat]:
        try:
            data, stat = await self._session.get(paths.CONTROLLER_EPOCH)
        except NoNodeError:
            try:
                _, stat = await self._session.create(paths.CONTROLLER_EPOCH, encode_controller_epoch(0))
                return 0, stat
            except NodeExistsError:
                data, stat = await self._session.get(paths.CONTROLLER_EPOCH)
        return decode_controller_epoch(paths.CONTROLLER_EPOCH, data), stat

    async def resign(self, epoch_version: int) -> None:
        """Give /controller back, unless it is another's already."""
        with contextlib.suppress(NoNodeError, BadVersionError):
            await self._session.multi([CheckOp(paths.CONTROLLER_EPOCH, epoch_version), DeleteOp(paths.CONTROLLER)])
