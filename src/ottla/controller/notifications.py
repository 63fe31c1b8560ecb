"""What tools and brokers tell the controller by writing a znode, which it removes when it has done what it says.

/admin/preferred_replica_election     move leaders to the first replica
/isr_change_notification/*            a leader has written partition states itself: read them
/log_dir_event_notification/*         a broker lost a log directory
"""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from ottla.controller import plans
from ottla.controller.context import ControllerContext, Work
from ottla.coordination import paths
from ottla.coordination.errors import NoNodeError, PayloadError
from ottla.coordination.payloads.admin import LogDirEvent, decode_partitions
from ottla.model import TopicPartition

log = logging.getLogger(__name__)

T = TypeVar("T")


class Notifications:
    def __init__(self, context: ControllerContext) -> None:
        self._context = context

    async def drop_old(self) -> None:
        """A new controller reads all states anyway."""
        for root in (paths.ISR_CHANGE_NOTIFICATION, paths.LOG_DIR_EVENT_NOTIFICATION):
            for name in await self._context.session.children(root):
                await self._context.store.delete_if_there(f"{root}/{name}")

    async def look(self) -> None:
        """Set all watches, and do what is there already."""
        await self.preferred_election_requested()
        await self.isr_changed()
        await self.log_dirs_failed()

    async def preferred_election_requested(self) -> None:
        path = paths.PREFERRED_REPLICA_ELECTION
        look = self._context.watch("preferred election", self.preferred_election_requested)
        while await self._context.session.exists(path, look) is not None:
            try:
                data, _ = await self._context.session.get(path)
            except NoNodeError:
                continue
            await self.elect_preferred(self._decoded(path, data, decode_partitions) or ())
            await self._context.store.delete_if_there(path)

    async def elect_preferred(self, partitions: Sequence[TopicPartition]) -> set[TopicPartition]:
        """Returns the partitions whose leader changed."""
        state = self._context.state
        changed = await self._context.change(lambda: plans.plan_preferred_leaders(state, partitions))
        batch = self._context.batch()
        batch.changed(changed.partitions)
        self._context.send(batch)
        return changed.partitions

    async def isr_changed(self) -> None:
        told: list[TopicPartition] = []
        for path, data in await self._take(paths.ISR_CHANGE_NOTIFICATION, self.isr_changed):
            told += self._decoded(path, data, decode_partitions) or []
        state = self._context.state
        known = [partition for partition in dict.fromkeys(told) if partition in state.partitions]
        if known:
            for partition, (found, version) in (await self._context.store.read_states(known)).items():
                state.put_state(partition, found, version)
            batch = self._context.batch()
            batch.update_metadata(known)
            self._context.send(batch)

    async def log_dirs_failed(self) -> None:
        """The brokers are told all that they should have; their answers say what is missing."""
        events = [
            self._decoded(path, data, LogDirEvent.decode)
            for path, data in await self._take(paths.LOG_DIR_EVENT_NOTIFICATION, self.log_dirs_failed)
        ]
        brokers = {event.broker_id for event in events if event} & self._context.state.brokers.keys()
        if brokers:
            batch = self._context.batch()
            batch.send_all_to(brokers)
            self._context.send(batch)

    async def _take(self, root: str, again: Work) -> list[tuple[str, bytes]]:
        """The notifications there are, removed from ZooKeeper; `again` is done when more come."""
        taken = []
        for name in await self._context.session.children(root, self._context.watch(root, again)):
            path = f"{root}/{name}"
            try:
                data, _ = await self._context.session.get(path)
            except NoNodeError:
                continue
            taken.append((path, data))
            await self._context.store.delete_if_there(path)
        return taken

    def _decoded(self, path: str, data: bytes, decode: Callable[[str, bytes], T]) -> T | None:
        try:
            return decode(path, data)
        except PayloadError as error:
            log.error("a notification is dropped: %s", error)
            return None
