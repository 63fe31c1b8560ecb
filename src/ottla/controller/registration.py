"""A broker's place in the cluster: the registries' roots, the cluster's id, its own id, its ephemeral id node.

The czxid of the id node is the *broker epoch*: it rises with every registration, and control requests carry it.

An id node of a session that is not ours belongs to another live broker, or to one that died: to ourselves, killed a
moment ago. Only time tells them apart, so the registration waits for as long as a dead one's session can last.
"""

import asyncio
import contextlib
import logging
import time

from ottla.controller.attempts import Attempts
from ottla.coordination import paths
from ottla.coordination.errors import (
    ConnectionLossError,
    CoordinationError,
    NodeExistsError,
    NoNodeError,
    PayloadError,
)
from ottla.coordination.payloads.brokers import BrokerInfo
from ottla.coordination.payloads.cluster import decode_cluster_id, encode_cluster_id
from ottla.coordination.session import Session
from ottla.coordination.stat import Stat
from ottla.errors import OperatorError
from ottla.model import encode_uuid, random_uuid

log = logging.getLogger(__name__)

# ZooKeeper ends a session up to a tick late, and a timeout is two ticks at least.
PATIENCE_IN_TIMEOUTS = 1.5


class WrongClusterError(OperatorError):
    """The log directories belong to another cluster than the one in ZooKeeper."""


class BrokerIdInUseError(OperatorError):
    """Another live broker has this id."""


async def create_roots(session: Session) -> None:
    """The persistent nodes under which everything else is, where they are missing."""
    for path in paths.PERSISTENT_ROOTS:
        with contextlib.suppress(NodeExistsError):
            await session.create(path, make_parents=True)


async def cluster_id(session: Session, expected: str | None = None) -> str:
    """The id in /cluster/id, made when there is none. `expected` is what meta.properties says."""
    try:
        found = await _read_cluster_id(session)
    except NoNodeError:
        found = await _create_cluster_id(session, expected or encode_uuid(random_uuid()))
    if expected is not None and expected != found:
        raise WrongClusterError(
            f"The Cluster ID {found} doesn't match stored clusterId {expected} in meta.properties. The broker is "
            "trying to join the wrong cluster. Configured zookeeper.connect may be wrong."
        )
    return found


async def _read_cluster_id(session: Session) -> str:
    data, _ = await session.get(paths.CLUSTER_ID)
    return decode_cluster_id(paths.CLUSTER_ID, data)


async def _create_cluster_id(session: Session, proposed: str) -> str:
    with contextlib.suppress(NodeExistsError, ConnectionLossError):  # another broker was faster, or it was us
        await session.create(paths.CLUSTER_ID, encode_cluster_id(proposed), make_parents=True)
    return await _read_cluster_id(session)


async def generate_broker_id(session: Session, reserved_max: int) -> int:
    """An id above `reserved.broker.max.id` that no broker was ever given: counted by the version of /brokers/seqid."""
    try:
        stat = await session.set(paths.BROKER_SEQID, b"")
    except NoNodeError:
        await create_roots(session)
        stat = await session.set(paths.BROKER_SEQID, b"")
    return reserved_max + stat.version


class OwnRegistration:
    """What this broker knows of its own registration, which changes with every session.

    `is_current` is False from the end of a session until the controller has told us everything in the new one.
    """

    __slots__ = ("_lost_epoch", "broker_epoch", "broker_id", "is_current")

    def __init__(self, broker_id: int) -> None:
        self.broker_id = broker_id
        self.broker_epoch = -1
        self.is_current = True
        self._lost_epoch = -1

    def registered(self, broker_epoch: int) -> None:
        self.broker_epoch = broker_epoch

    def session_lost(self) -> None:
        """What we know of our roles may be over; what the controller says to a later registration counts again."""
        self.is_current = False
        self._lost_epoch = self.broker_epoch

    def told_everything(self, broker_epoch: int) -> bool:
        """The controller told all roles to the registration of this epoch; False when that one is over.

        It may be one of which we have not heard ourselves yet.
        """
        if broker_epoch <= self._lost_epoch:
            return False
        self.is_current = True
        return True


class BrokerRegistration:
    """Keeps /brokers/ids/N ours through all sessions of this process."""

    def __init__(self, session: Session, broker_id: int, info: BrokerInfo) -> None:
        self._session = session
        self._broker_id = broker_id
        self._info = info
        self._own_sessions: set[int] = set()
        self._patient_until: float | None = None
        self.epoch = -1

    async def register(self) -> int:
        """Register in the current session; returns the broker epoch. BrokerIdInUseError when another has the id."""
        path = paths.broker_id(self._broker_id)
        self._own_sessions.add(self._session.session_id)
        self._patient_until = None
        lost = Attempts()
        while True:
            try:
                _, stat = await self._session.create(path, self._info.encode(), ephemeral=True)
            except NodeExistsError:
                existing = await self._existing(path)
                if existing is None:
                    continue
                stat = existing
            except ConnectionLossError as error:
                await lost.failed(error)
                continue
            self.epoch = stat.czxid
            log.info("registered broker %d, epoch %d", self._broker_id, self.epoch)
            return self.epoch

    async def update(self, info: BrokerInfo) -> None:
        """New endpoints, the same registration."""
        self._info = info
        await self._session.set(paths.broker_id(self._broker_id), info.encode())

    async def lacks_nothing(self) -> None:
        """Say no longer that we may lack records, neither now nor in later sessions."""
        with contextlib.suppress(CoordinationError):
            await self.update(self._info._replace(may_lack_records=False))

    async def _existing(self, path: str) -> Stat | None:
        """The node if this session owns it; None when it may be possible to create it now."""
        changed = asyncio.Event()
        try:
            data, stat = await self._session.get(path, lambda _: changed.set())
        except NoNodeError:
            return None
        if stat.ephemeral_owner == self._session.session_id:
            return stat
        if stat.ephemeral_owner not in self._own_sessions:
            await self._wait_for_end(_who(self._broker_id, path, data, stat), changed)
            return None
        # Of a former session of this process, which the server has not given up yet (KAFKA-7165).
        with contextlib.suppress(NoNodeError):
            await self._session.delete(path, stat.version)
        return None

    async def _wait_for_end(self, who: str, changed: asyncio.Event) -> None:
        """Until the other's node changes or goes; BrokerIdInUseError when it stays for longer than the dead can."""
        loop = asyncio.get_running_loop()
        if self._patient_until is None:
            patience_s = self._session.timeout_ms / 1000 * PATIENCE_IN_TIMEOUTS
            self._patient_until = loop.time() + patience_s
            log.warning("%s; waiting up to %.1f s for it to end, in case its broker is dead", who, patience_s)
        try:
            await asyncio.wait_for(changed.wait(), self._patient_until - loop.time())
        except TimeoutError:
            raise BrokerIdInUseError(f"{who}. Give this broker another broker.id, or stop the other one.") from None


def _who(broker_id: int, path: str, data: bytes, stat: Stat) -> str:
    try:
        endpoints = ", ".join(f"{e.host}:{e.port}" for e in BrokerInfo.decode(path, data).endpoints)
    except PayloadError:
        endpoints = "an unreadable address"
    since = time.strftime("%Y-%m-%d %H:%M:%S+00:00", time.gmtime(stat.ctime / 1000))
    return (
        f"broker id {broker_id} is in use: {endpoints} registered it at {since} and its ZooKeeper session "
        f"0x{stat.ephemeral_owner:x} is alive"
    )
