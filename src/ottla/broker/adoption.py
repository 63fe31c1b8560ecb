"""Adopting log directories: what lies in them is registered in ZooKeeper, so that a broker serves it.

The plan is pure. A partition's replicas are the brokers in whose directories it was found; the one with the newest
leader epoch, and of those the longest log, leads with the next epoch and is alone in sync: the others follow it, and
cut off what it does not have. A partition below the highest found one that is found nowhere is registered too, empty.
Producer ids are handed out anew above all that the logs know (`known_producers`).

Topic configurations are lost with the cluster. Nothing more may be lost by guessing them: a topic that the cleaner has
been at is compacted as it was, any other is kept for ever until somebody says otherwise.
"""

import asyncio
import contextlib
import os
import uuid
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import NamedTuple

from ottla.broker.zookeeper_directory import check_owner
from ottla.clock import SystemClock
from ottla.controller.registration import cluster_id, create_roots
from ottla.coordination import paths
from ottla.coordination.connect_string import parse_connect_string
from ottla.coordination.embedded.server import EmbeddedZooKeeper
from ottla.coordination.embedded.server_config import ServerConfig
from ottla.coordination.errors import ConnectionLossError
from ottla.coordination.kazoo_session import KazooSession
from ottla.coordination.payloads.cluster import ProducerIdBlock
from ottla.coordination.payloads.configs import encode_config
from ottla.coordination.payloads.topics import LeaderAndIsr, TopicAssignment
from ottla.coordination.session import CreateOp, SetOp
from ottla.coordination.session_life import SessionOptions
from ottla.errors.tree import OperatorError
from ottla.model import INTERNAL_TOPICS, NO_BROKER, TopicPartition, random_uuid
from ottla.storage.log.partition_directory import DirectoryKind
from ottla.storage.log_dir.directory_lock import DirectoryLock
from ottla.storage.log_dir.log_dir_scan import FoundPartition, Inventory, take_inventory
from ottla.storage.producers.known_producers import NO_PRODUCER_ID, highest_producer_id

COMPACTED = {"cleanup.policy": "compact"}
KEPT = {"retention.bytes": "-1", "retention.ms": "-1"}
_CONNECT_TIMEOUT_MS = 10_000


class PartitionPlan(NamedTuple):
    replicas: tuple[int, ...]
    leader_epoch: int


class TopicPlan(NamedTuple):
    name: str
    topic_id: uuid.UUID
    partitions: dict[int, PartitionPlan]
    configs: dict[str, str]


class Adopted(NamedTuple):
    """A row of what the command prints."""

    topic: str
    partitions: int
    replicas: list[int]
    leader_epoch: int
    configs: dict[str, str]
    outcome: str


def adopt_directories(
    directories: Sequence[str], zookeeper: str | None, broker_id: int | None, *, dry_run: bool
) -> list[Adopted]:
    with contextlib.ExitStack() as locks:
        for path in directories:
            locks.callback(DirectoryLock(path).release)
        inventories = [take_inventory(path) for path in directories]
        plans = plan_adoption(inventories, broker_id)
        producer_id = highest_producer_id(one for inventory in inventories for one in inventory.partitions)
        return asyncio.run(_adopt(plans, inventories, zookeeper, producer_id, dry_run))


def plan_adoption(inventories: Iterable[Inventory], broker_id: int | None = None) -> list[TopicPlan]:
    """What to register for the partitions that were found. OperatorError where nobody says whose they are."""
    found: dict[str, dict[int, dict[int, FoundPartition]]] = {}
    for inventory in inventories:
        owner = _owner(inventory, broker_id)
        for partition in inventory.partitions:
            if partition.kind is DirectoryKind.CURRENT:
                topic, number = partition.topic_partition
                found.setdefault(topic, {}).setdefault(number, {})[owner] = partition
    return [_plan_topic(topic, partitions) for topic, partitions in sorted(found.items())]


def _owner(inventory: Inventory, broker_id: int | None) -> int:
    if broker_id is not None:
        return broker_id
    if inventory.meta is None or inventory.meta.broker_id is None:
        raise OperatorError(f"{inventory.path} has no meta.properties that says whose it is: give --broker-id")
    return inventory.meta.broker_id


def _plan_topic(topic: str, partitions: dict[int, dict[int, FoundPartition]]) -> TopicPlan:
    ids = {copy.topic_id for copies in partitions.values() for copy in copies.values() if copy.topic_id is not None}
    if len(ids) > 1:
        raise OperatorError(f"the directories hold {len(ids)} different topics named {topic}: give them one by one")
    everybody = sorted({owner for copies in partitions.values() for owner in copies})
    plans = {}
    for number in range(max(partitions) + 1):
        copies = partitions.get(number, {})
        newest_first = sorted(copies, key=lambda owner: (-copies[owner].latest_epoch, -copies[owner].size_bytes, owner))
        epoch = max((copy.latest_epoch for copy in copies.values()), default=-1) + 1
        plans[number] = PartitionPlan(tuple(newest_first or everybody), epoch)
    was_compacted = topic in INTERNAL_TOPICS or any(
        copy.was_compacted for copies in partitions.values() for copy in copies.values()
    )
    return TopicPlan(topic, next(iter(ids), random_uuid()), plans, dict(COMPACTED if was_compacted else KEPT))


async def _adopt(
    plans: Sequence[TopicPlan],
    inventories: Sequence[Inventory],
    zookeeper: str | None,
    producer_id: int,
    dry_run: bool,
) -> list[Adopted]:
    async with _session(zookeeper, inventories) as session:
        await create_roots(session)
        known = next((one.meta.cluster_id for one in inventories if one.meta and one.meta.cluster_id), None)
        await cluster_id(session, known)
        if not dry_run:
            await _reserve_producer_ids(session, producer_id)
        there = set(await session.children(paths.BROKER_TOPICS))
        rows = []
        for plan in plans:
            outcome = "is there already" if plan.name in there else "would be adopted" if dry_run else "adopted"
            if outcome == "adopted":
                await _register(session, plan)
            replicas = sorted({broker for one in plan.partitions.values() for broker in one.replicas})
            epoch = max(one.leader_epoch for one in plan.partitions.values())
            rows.append(Adopted(plan.name, len(plan.partitions), replicas, epoch, plan.configs, outcome))
        return rows


async def _reserve_producer_ids(session: KazooSession, highest: int) -> None:
    """Every id up to `highest` counts as handed out."""
    path = paths.PRODUCER_ID_BLOCK
    data = (await session.get(path))[0] if await session.exists(path) else b""
    if highest <= (ProducerIdBlock.decode(path, data).last if data else NO_PRODUCER_ID):
        return
    if not await session.exists(path):
        await session.create(path)
    await session.set(path, ProducerIdBlock(NO_BROKER, 0, highest).encode())


async def _register(session: KazooSession, plan: TopicPlan) -> None:
    """Topic, config and states in one transaction: whoever sees the topic sees its epochs."""
    config_path = paths.topic_config(plan.name)
    there = await session.exists(config_path)
    config = (SetOp if there else CreateOp)(config_path, encode_config(plan.configs))
    assignment = TopicAssignment({number: one.replicas for number, one in plan.partitions.items()}, plan.topic_id)
    operations: list[CreateOp | SetOp] = [
        config,
        CreateOp(paths.topic(plan.name), assignment.encode()),
        CreateOp(paths.partitions(plan.name)),
    ]
    for number, one in plan.partitions.items():
        partition = TopicPartition(plan.name, number)
        leader = one.replicas[0]
        state = LeaderAndIsr(leader, one.leader_epoch, (leader,), 0)
        operations += [
            CreateOp(paths.partition(partition)),
            CreateOp(paths.partition_state(partition), state.encode()),
        ]
    await session.multi(operations)


@contextlib.asynccontextmanager
async def _session(zookeeper: str | None, inventories: Sequence[Inventory]) -> AsyncIterator[KazooSession]:
    """With the ZooKeeper that is named, else with the embedded one, run for as long as this takes."""
    async with contextlib.AsyncExitStack() as stack:
        if zookeeper is None:
            data_dir = _zookeeper_data(inventories[0].path)
            check_owner(data_dir, [inventory.path for inventory in inventories])
            server = EmbeddedZooKeeper(ServerConfig(data_dir=data_dir, client_port=0))
            await server.start()
            stack.push_async_callback(server.stop)
            zookeeper = f"{server.host}:{server.port}"
        options = SessionOptions(parse_connect_string(zookeeper), connection_timeout_ms=_CONNECT_TIMEOUT_MS)
        session = KazooSession(options, SystemClock())
        stack.push_async_callback(session.close)
        try:
            await session.start()
        except ConnectionLossError as error:
            raise OperatorError(f"{error}. Is ZooKeeper running there?") from error
        yield session


def _zookeeper_data(log_directory: str) -> str:
    """Where a broker with this log directory keeps the data of its embedded ZooKeeper."""
    return os.path.join(os.path.dirname(os.path.abspath(log_directory)), "zookeeper")
