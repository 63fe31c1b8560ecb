"""Partitions of `__consumer_offsets` that are won while their logs are damaged."""

import os

import pytest

from ottla.coordinators.group.coordinator import GroupCoordinator
from ottla.coordinators.group.settings import OFFSETS_TOPIC, GroupSettings
from ottla.coordinators.offsets.requests import CommitRequest, OffsetToCommit
from ottla.coordinators.runtime.replicated_log import ReplicatedLog
from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.observability.metrics import Metrics
from ottla.storage.log.partition_log import PartitionLog
from support.loops import on_loop
from support.replicas import Replicas, replicas_in

T0 = TopicPartition("t", 0)
PARTITIONS = 2


async def started(replicas: Replicas, epoch: int, load_buffer_bytes: int) -> GroupCoordinator:
    coordinator = GroupCoordinator(
        GroupSettings(load_buffer_bytes=load_buffer_bytes),
        ReplicatedLog(OFFSETS_TOPIC, replicas.manager, replicas.clock),
        lambda: PARTITIONS,
        replicas.clock,
        replicas.wheel,
        Metrics(replicas.clock),
    )
    coordinator.start()
    for index in range(PARTITIONS):
        coordinator.partition_won(index, epoch)
    await coordinator.loaded()
    return coordinator


def commit(coordinator: GroupCoordinator, replicas: Replicas, group: str, offset: int) -> None:
    offsets = {T0: OffsetToCommit(offset, -1, "", replicas.clock.wall_ms())}
    assert coordinator.commit(CommitRequest(group, -1, "", None, offsets)) == {T0: ErrorCode.NONE}


def group_of(coordinator: GroupCoordinator, index: int) -> str:
    return next(f"g{n}" for n in range(1000) if coordinator.partition_for(f"g{n}") == index)


def overwrite(log: PartitionLog, position: int, data: bytes) -> None:
    descriptor = os.open(log.active.log.path, os.O_RDWR)
    os.pwrite(descriptor, data, position)
    os.close(descriptor)


CUT_SHORT = (8, (1 << 20).to_bytes(4, "big"))
NO_LENGTH = (8, bytes(4))
OFFSET_BEFORE = (0, bytes(8))


@pytest.mark.parametrize("load_buffer_bytes", [1, 1 << 20])
@pytest.mark.parametrize("damage", [CUT_SHORT, NO_LENGTH, OFFSET_BEFORE], ids=["cut short", "no length", "old offset"])
@on_loop
async def test_loading_ends_at_a_damaged_batch_and_all_groups_are_served(tmp_path, caplog, damage, load_buffer_bytes):
    with replicas_in(tmp_path, cleanup_policy="compact") as replicas:
        log = replicas.lead(OFFSETS_TOPIC, count=PARTITIONS).log
        before = await started(replicas, 1, load_buffer_bytes)
        damaged, other = group_of(before, 0), group_of(before, 1)
        commit(before, replicas, damaged, 1)
        commit(before, replicas, damaged, 2)
        commit(before, replicas, other, 3)
        last = log.active.size
        commit(before, replicas, damaged, 4)
        before.stop()
        overwrite(log, last + damage[0], damage[1])
        after = await started(replicas, 2, load_buffer_bytes)
        assert after.fetch(damaged, None)[T0].offset == 2
        assert after.fetch(other, None)[T0].offset == 3
        after.stop()
    (warning,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert "__consumer_offsets-0" in warning
    assert "at offset 2" in warning


HEADER = 61
PAYLOAD = (HEADER + 20, b"\xff")
LAST_OFFSET_DELTA = (23, b"\x00\x00\x00\xff")


@pytest.mark.parametrize("load_buffer_bytes", [1, 1 << 20])
@pytest.mark.parametrize(("damage", "kept"), [(PAYLOAD, 3), (LAST_OFFSET_DELTA, 1)], ids=["payload", "offset"])
@on_loop
async def test_damage_that_only_the_checksum_tells_is_skipped(tmp_path, caplog, damage, kept, load_buffer_bytes):
    """Where the damaged batch says that it ends past the log there is nothing behind it to go on with."""
    with replicas_in(tmp_path, cleanup_policy="compact") as replicas:
        log = replicas.lead(OFFSETS_TOPIC, count=PARTITIONS).log
        before = await started(replicas, 1, load_buffer_bytes)
        group, other = group_of(before, 0), group_of(before, 1)
        commit(before, replicas, group, 1)
        second = log.active.size
        commit(before, replicas, group, 2)
        commit(before, replicas, group, 3)
        commit(before, replicas, other, 4)
        before.stop()
        overwrite(log, second + damage[0], damage[1])
        after = await started(replicas, 2, load_buffer_bytes)
        assert after.fetch(group, None)[T0].offset == kept
        assert after.fetch(other, None)[T0].offset == 4
        after.stop()
    assert "skipping the batch at offset 1" in caplog.text
    assert not [record for record in caplog.records if record.levelname == "ERROR" or record.exc_info]
