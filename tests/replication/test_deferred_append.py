"""Appends that must be opened first are prepared in a thread: by what they hold, not by how small they look."""

from pathlib import Path

import pytest

from ottla.errors import ErrorCode
from ottla.records.attributes import Codec
from ottla.records.legacy import down_convert
from ottla.replication.deferred_append import INLINE_BYTES_MAX, INLINE_DECOMPRESSED_BYTES_MAX, DeferredAppends
from ottla.replication.delayed_produce import unacknowledged
from ottla.replication.partition import ACKS_ALL, PartitionAssignment
from support.logs import batch
from support.loops import on_loop
from support.replicas import BROKER_ID, replicas_in

LITTLE, MUCH = b"little", bytes(2 * INLINE_DECOMPRESSED_BYTES_MAX)


def records_of(value: bytes, codec: Codec, magic: int = 2) -> memoryview:
    records = batch([value], keys=[b"key"], compression=codec)
    return records if magic == 2 else memoryview(bytearray(down_convert(records, magic)))


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD], ids=lambda codec: codec.name)
@on_loop
async def test_a_small_batch_that_holds_much_is_opened_in_a_thread(tmp_path: Path, codec: Codec) -> None:
    with replicas_in(tmp_path, cleanup_policy="compact") as replicas:
        partition = replicas.lead()
        deferred = DeferredAppends(replicas.manager, replicas.clock)
        assert len(records_of(MUCH, codec)) < INLINE_BYTES_MAX
        assert deferred.must_defer(partition, records_of(MUCH, codec))
        assert not deferred.must_defer(partition, records_of(LITTLE, codec))


@pytest.mark.parametrize("magic", [0, 1])
@on_loop
async def test_wrappers_of_old_clients_are_opened_in_a_thread(tmp_path: Path, magic: int) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        deferred = DeferredAppends(replicas.manager, replicas.clock)
        assert deferred.must_defer(partition, records_of(MUCH, Codec.GZIP, magic))
        assert not deferred.must_defer(partition, records_of(LITTLE, Codec.NONE, magic))


@on_loop
async def test_a_batch_that_is_not_opened_is_not_looked_into(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        deferred = DeferredAppends(replicas.manager, replicas.clock)
        assert not deferred.must_defer(partition, records_of(MUCH, Codec.GZIP))


@on_loop
async def test_an_append_is_acknowledged_only_while_its_records_are_there(tmp_path: Path) -> None:
    """Another part of the same request may still be prepared while leaders change."""
    with replicas_in(tmp_path, cleanup_policy="compact") as replicas:
        partition = replicas.lead()
        deferred = DeferredAppends(replicas.manager, replicas.clock)
        info = await deferred.start(partition, records_of(MUCH, Codec.GZIP), ACKS_ALL, 9)
        partition.become_leader(PartitionAssignment(BROKER_ID, 1, (BROKER_ID,), (BROKER_ID,), 1))
        assert unacknowledged(partition, info, ACKS_ALL) is None
        replicas.manager.truncate(partition, 0)
        partition.become_leader(PartitionAssignment(BROKER_ID, 2, (BROKER_ID,), (BROKER_ID,), 2))
        await deferred.start(partition, records_of(MUCH, Codec.GZIP), ACKS_ALL, 9)
        waiting = unacknowledged(partition, info, ACKS_ALL)
        assert waiting is not None
        assert waiting.outcome() == ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
