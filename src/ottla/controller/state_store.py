"""The controller's reads and writes of ZooKeeper.

Every write is a multi whose first operation checks the version of /controller_epoch. When that check fails another
controller has been elected, and `ControllerMovedError` ends whatever was going on. A write whose answer was lost is
looked at again: what stands there is compared with what should.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ottla.controller.election import ControllerMovedError
from ottla.controller.state import BrokerRecord, StateChange
from ottla.coordination import paths
from ottla.coordination.errors import (
    BadVersionError,
    ConnectionLossError,
    NodeExistsError,
    NoNodeError,
    PayloadError,
    ZooKeeperError,
)
from ottla.coordination.payloads.brokers import BrokerInfo, decode_broker_id
from ottla.coordination.payloads.topics import LeaderAndIsr, TopicAssignment
from ottla.coordination.session import CheckOp, CreateOp, DeleteOp, Op, OpResult, Session, SetOp, Watch
from ottla.coordination.stat import Stat
from ottla.model import TopicPartition

log = logging.getLogger(__name__)

CHANGES_PER_MULTI_MAX = 50
DELETES_PER_MULTI_MAX = 200


class Written(NamedTuple):
    """What became of a list of changes."""

    versions: dict[TopicPartition, int]
    found: dict[TopicPartition, tuple[LeaderAndIsr, int]]  # somebody else's state stood there instead


class StateStore:
    def __init__(self, session: Session, epoch_version: int) -> None:
        self._session = session
        self._check = CheckOp(paths.CONTROLLER_EPOCH, epoch_version)

    # Reads

    async def read_brokers(self, on_children: Watch, on_broker: Watch) -> dict[int, BrokerRecord]:
        names = await self._session.children(paths.BROKER_IDS, on_children)
        found = await asyncio.gather(*(self._read_broker(f"{paths.BROKER_IDS}/{name}", on_broker) for name in names))
        return dict(broker for broker in found if broker is not None)

    async def _read_broker(self, path: str, on_change: Watch) -> tuple[int, BrokerRecord] | None:
        try:
            data, stat = await self._session.get(path, on_change)
            return decode_broker_id(path), BrokerRecord(BrokerInfo.decode(path, data), stat.czxid)
        except NoNodeError:
            return None  # gone meanwhile: the watch on the children tells
        except PayloadError as error:
            log.error("a broker is ignored: %s", error)
            return None

    async def read_topic(self, name: str, on_change: Watch | None) -> tuple[TopicAssignment, int] | None:
        path = paths.topic(name)
        try:
            data, stat = await self._session.get(path, on_change)
            return TopicAssignment.decode(path, data), stat.version
        except NoNodeError:
            return None
        except PayloadError as error:
            log.error("a topic is ignored: %s", error)
            return None

    async def read_states(
        self, partitions: Sequence[TopicPartition], on_repair: Callable[[TopicPartition], Watch] | None = None
    ) -> dict[TopicPartition, tuple[LeaderAndIsr, int]]:
        """`on_repair` gives the watch on a state that cannot be read: it is called when that changes."""
        found = await asyncio.gather(
            *(self.read_state(partition, on_repair and on_repair(partition)) for partition in partitions)
        )
        return {p: state for p, state in zip(partitions, found, strict=True) if state is not None}

    async def read_state(
        self, partition: TopicPartition, on_repair: Watch | None = None
    ) -> tuple[LeaderAndIsr, int] | None:
        path = paths.partition_state(partition)
        try:
            data, stat = await self._session.get(path)
            return LeaderAndIsr.decode(path, data), stat.version
        except NoNodeError:
            return None
        except PayloadError as error:
            log.error("a partition state is ignored: %s", error)
        if on_repair is None:
            return None
        now = await self._session.exists(path, on_repair)
        return None if now is None or now.version == stat.version else await self.read_state(partition, on_repair)

    # Partition states

    async def write_states(self, changes: Sequence[StateChange]) -> Written:
        """Write all that can be written. Pipelined, many to a multi; where one is refused each is tried alone."""
        await self._make_partition_parents(changes)
        written = Written({}, {})
        chunks = [changes[i : i + CHANGES_PER_MULTI_MAX] for i in range(0, len(changes), CHANGES_PER_MULTI_MAX)]
        await asyncio.gather(*(self._write_chunk(chunk, written) for chunk in chunks))
        return written

    async def _make_partition_parents(self, changes: Iterable[StateChange]) -> None:
        """Where one cannot be made the states below it cannot either, and that is told for each."""
        topics = {change.partition.topic for change in changes if change.is_new}
        parents = (self._create_if_missing(paths.partitions(topic)) for topic in topics)
        for outcome in await asyncio.gather(*parents, return_exceptions=True):
            if isinstance(outcome, BaseException) and not isinstance(outcome, ZooKeeperError):
                raise outcome

    async def _write_chunk(self, chunk: Sequence[StateChange], written: Written) -> None:
        try:
            results = await self.multi([op for change in chunk for op in _operations(change)])
        except (ZooKeeperError, ConnectionLossError):
            await asyncio.gather(*(self._write_one(change, written) for change in chunk))
            return
        stats = iter(results)
        for change in chunk:
            written.versions[change.partition] = _version_written(change, stats)

    async def _write_one(self, change: StateChange, written: Written) -> None:
        try:
            if change.is_new:
                await self._create_if_missing(paths.partition(change.partition))
                await self.multi([CreateOp(paths.partition_state(change.partition), change.state.encode())])
                written.versions[change.partition] = 0
            else:
                results = await self.multi(_operations(change))
                written.versions[change.partition] = _version_written(change, iter(results))
        except (ZooKeeperError, ConnectionLossError) as error:
            await self._look_again(change, written, error)

    async def _look_again(self, change: StateChange, written: Written, error: Exception) -> None:
        found = await self.read_state(change.partition)
        if found is None:
            log.warning("the state of %s was not written: %s", change.partition, error)
        elif found[0] == change.state:
            written.versions[change.partition] = found[1]
        else:
            written.found[change.partition] = found

    # Topics

    async def create_topic(self, name: str, assignment: TopicAssignment, config: bytes) -> None:
        """NodeExistsError when there is such a topic. Configs that a former topic left behind are replaced."""
        topic = CreateOp(paths.topic(name), assignment.encode())
        try:
            await self.multi([CreateOp(paths.topic_config(name), config), topic])
        except NodeExistsError as error:
            if error.path != paths.topic_config(name):
                raise
            await self.multi([SetOp(paths.topic_config(name), config), topic])

    async def write_topic(self, name: str, assignment: TopicAssignment, version: int) -> int:
        """The new version. BadVersionError when somebody else wrote meanwhile."""
        results = await self.multi([SetOp(paths.topic(name), assignment.encode(), version)])
        assert isinstance(results[0], Stat)
        return results[0].version

    async def delete_topic(self, name: str) -> None:
        """Everything that is known of the topic, the request to delete it last."""
        doomed = await self._subtree(paths.topic(name))
        doomed += [paths.topic_config(name), paths.deleted_topic(name)]
        for start in range(0, len(doomed), DELETES_PER_MULTI_MAX):
            chunk = doomed[start : start + DELETES_PER_MULTI_MAX]
            try:
                await self.multi([DeleteOp(path) for path in chunk])
            except NoNodeError:
                for path in chunk:
                    await self.delete_if_there(path)

    async def _subtree(self, path: str) -> list[str]:
        """The paths below and at `path`, children first."""
        try:
            names = await self._session.children(path)
        except NoNodeError:
            return []
        below = await asyncio.gather(*(self._subtree(f"{path}/{name}") for name in names))
        return [found for paths_below in below for found in paths_below] + [path]

    async def request_deletion(self, name: str) -> None:
        """Asking twice is no error."""
        await self._create_if_missing(paths.deleted_topic(name))

    async def delete_if_there(self, path: str) -> None:
        with contextlib.suppress(NoNodeError):
            await self.multi([DeleteOp(path)])

    # Conditioned on the controller's epoch

    async def multi(self, ops: Sequence[Op]) -> list[OpResult]:
        try:
            return (await self._session.multi([self._check, *ops]))[1:]
        except (BadVersionError, NoNodeError) as error:
            if error.path == paths.CONTROLLER_EPOCH:
                raise ControllerMovedError(str(error)) from None
            raise

    async def _create_if_missing(self, path: str) -> None:
        with contextlib.suppress(NodeExistsError):
            await self.multi([CreateOp(path)])


def _operations(change: StateChange) -> list[Op]:
    path = paths.partition_state(change.partition)
    if change.is_new:
        return [CreateOp(paths.partition(change.partition)), CreateOp(path, change.state.encode())]
    return [SetOp(path, change.state.encode(), change.version)]


def _version_written(change: StateChange, results: "Iterable[OpResult]") -> int:
    """Takes this change's results off the front of a multi's."""
    stats = iter(results)
    if change.is_new:
        next(stats), next(stats)
        return 0
    stat = next(stats)
    assert isinstance(stat, Stat)
    return stat.version
