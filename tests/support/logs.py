"""Partition logs and batches for tests of storage and what stands on it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ottla.config.broker_config import BrokerConfig
from ottla.config.topic_config import TopicConfig
from ottla.disk.directory import LogDirectory
from ottla.disk.system_disk import SYSTEM_DISK, Disk
from ottla.model import TopicPartition
from ottla.records.batch import iterate_batches
from ottla.records.control import ControlType, encode_end_txn_batch
from ottla.records.record import Record, decode_batch, encode_batch
from ottla.storage.log.batch_validation import Origin
from ottla.storage.log.leader_epochs import LeaderEpochs
from ottla.storage.log.loading import LoadRequest, load_log
from ottla.storage.log.log_results import LogRead
from ottla.storage.log.partition_log import LogHooks, PartitionLog
from ottla.storage.producers.producer_state import ProducerStates
from ottla.storage.producers.snapshot_files import SnapshotFiles
from ottla.storage.segment.segment import Segment
from ottla.storage.segment.segment_list import SegmentList

NOW_MS = 1_700_000_000_000
TOPIC_PARTITION = TopicPartition("orders", 0)


def topic_config(**overrides: Any) -> TopicConfig:
    """`topic_config(segment_bytes=1000)`: Kafka's defaults with these keys changed."""
    return BrokerConfig.load({}).topic_config({name.replace("_", "."): str(v) for name, v in overrides.items()})


def batch(values: Sequence[bytes | None] | int = 1, *, timestamp: int = NOW_MS, **options: Any) -> memoryview:
    """A produced batch, writable as a receive buffer is. A number of values makes up as many."""
    if isinstance(values, int):
        values = [b"value %d" % number for number in range(values)]
    keys = options.pop("keys", [None] * len(values))
    timestamps = options.pop("timestamps", [timestamp] * len(values))
    records = [Record(n, timestamps[n], keys[n], value) for n, value in enumerate(values)]
    return memoryview(bytearray(encode_batch(records, **options)))


def create_log(
    root: Path | str, *, disk: Disk = SYSTEM_DISK, hooks: LogHooks | None = None, base_offset: int = 0, **config: Any
) -> PartitionLog:
    """A new, empty log below the log directory `root`."""
    directory = LogDirectory(str(root), disk)
    path = f"{root}/{TOPIC_PARTITION}"
    directory.make_directory(path)
    settings = topic_config(**config)
    segment = Segment.create(
        path,
        base_offset,
        directory,
        index_bytes_max=settings.segment_index_bytes,
        index_interval_bytes=settings.index_interval_bytes,
        now_ms=NOW_MS,
        allocate_bytes=settings.segment_bytes if settings.preallocate else 0,
    )
    return PartitionLog(
        TOPIC_PARTITION,
        path,
        directory,
        settings,
        SegmentList([segment]),
        leader_epochs=LeaderEpochs(),
        producers=ProducerStates(TOPIC_PARTITION, base_offset),
        snapshots=SnapshotFiles(path, directory, []),
        log_start_offset=base_offset,
        log_end_offset=base_offset,
        recovery_point=base_offset,
        hooks=hooks,
    )


def open_log(
    root: Path | str,
    *,
    is_clean: bool = True,
    recovery_point: int = 0,
    log_start_offset: int = 0,
    disk: Disk = SYSTEM_DISK,
    hooks: LogHooks | None = None,
    **config: Any,
) -> PartitionLog:
    """The log that `create_log` made, loaded from its directory as a broker does at start."""
    directory = LogDirectory(str(root), disk)
    settings = topic_config(**config)
    request = LoadRequest(
        topic_partition=TOPIC_PARTITION,
        path=f"{root}/{TOPIC_PARTITION}",
        is_clean=is_clean,
        recovery_point=recovery_point,
        log_start_offset=log_start_offset,
        index_bytes_max=settings.segment_index_bytes,
        index_interval_bytes=settings.index_interval_bytes,
        now_ms=NOW_MS,
    )
    loaded = load_log(directory, request)
    return PartitionLog(
        TOPIC_PARTITION,
        loaded.path,
        directory,
        settings,
        SegmentList(loaded.segments),
        leader_epochs=loaded.leader_epochs,
        producers=loaded.producers,
        snapshots=loaded.snapshots,
        log_start_offset=loaded.log_start_offset,
        log_end_offset=loaded.log_end_offset,
        recovery_point=loaded.recovery_point,
        hooks=hooks,
    )


def append_in_transaction(log: PartitionLog, producer_id: int, sequence: int, *, count: int = 2, epoch: int = 0) -> int:
    """A batch of a transaction, which it opens if none is; the offset of its first record."""
    records = batch(count, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence, is_transactional=True)
    return log.append_as_leader(records, 0, now_ms=NOW_MS, origin=Origin.TRANSACTION).first_offset


def end_transaction(
    log: PartitionLog, producer_id: int, control_type: ControlType, *, coordinator_epoch: int = 0
) -> int:
    """The coordinator's marker, and its offset."""
    marker = encode_end_txn_batch(
        control_type,
        producer_id=producer_id,
        producer_epoch=0,
        coordinator_epoch=coordinator_epoch,
        timestamp=NOW_MS,
    )
    records = memoryview(bytearray(marker))
    return log.append_as_leader(records, 0, now_ms=NOW_MS, origin=Origin.COORDINATOR).first_offset


def take(read: LogRead) -> bytes:
    """The bytes of a read, which is closed."""
    if read.slice is None:
        return b""
    data = read.slice.read(0, len(read.slice))
    assert len(data) == len(read.slice)
    read.slice.close()
    return data


def read_all(log: PartitionLog, offset: int | None = None, *, max_bytes: int = 1 << 20) -> list[Record]:
    """Every record from `offset` (the start of the log) to its end, as a consumer would fetch it."""
    position = log.log_start_offset if offset is None else offset
    wanted, found = position, list[Record]()
    while position < log.log_end_offset:
        data = take(log.read(position, max_bytes, end_offset=log.end_position, minimum_one_batch=True))
        records = decode_records(data)
        if not records:
            break
        found += [record for record in records if record.offset >= wanted]
        position = next_offset(data)
    return found


def decode_records(data: bytes) -> list[Record]:
    """The records of all whole batches in `data`."""
    return [
        record for position, _ in iterate_batches(data, partial_tail=True) for record in decode_batch(data, position)
    ]


def next_offset(data: bytes) -> int:
    return [header.next_offset for _, header in iterate_batches(data, partial_tail=True)][-1]
