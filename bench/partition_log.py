"""What the log costs per call, in microseconds of CPU: `python bench/partition_log.py [directory]`.

The best of several rounds, each into an empty file: page cache that must be freed first is the kernel's work, not ours.
The bare system call beside each row is what no log can be faster than.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable

from ottla.config.broker_config import BrokerConfig
from ottla.disk.directory import LogDirectory
from ottla.model import TopicPartition
from ottla.records.attributes import Codec
from ottla.records.batch import stamp
from ottla.records.record import Record, encode_batch
from ottla.storage.log.leader_epochs import LeaderEpochs
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.producers.producer_state import ProducerStates
from ottla.storage.producers.snapshot_files import SnapshotFiles
from ottla.storage.segment.segment import Segment
from ottla.storage.segment.segment_list import SegmentList

NOW_MS = 1_700_000_000_000
ROUNDS = 5


def open_log(root: str) -> PartitionLog:
    directory = LogDirectory(root)
    path = tempfile.mkdtemp(dir=root)
    config = BrokerConfig.load({}).topic_config({})
    segment = Segment.create(path, 0, directory, index_bytes_max=10 << 20, index_interval_bytes=4096, now_ms=NOW_MS)
    partition = TopicPartition("bench", 0)
    return PartitionLog(
        partition,
        path,
        directory,
        config,
        SegmentList([segment]),
        leader_epochs=LeaderEpochs(),
        producers=ProducerStates(partition),
        snapshots=SnapshotFiles(path, directory, []),
        log_start_offset=0,
        log_end_offset=0,
        recovery_point=0,
    )


def produced(count: int, size: int, codec: Codec = Codec.NONE, producer_id: int = -1) -> bytearray:
    records = [Record(number, NOW_MS, None, os.urandom(size)) for number in range(count)]
    options = {"producer_id": producer_id, "producer_epoch": 0, "base_sequence": 0} if producer_id >= 0 else {}
    return bytearray(encode_batch(records, compression=codec, **options))


def report(name: str, function: Callable[[], object], count: int, reset: Callable[[], object] = lambda: None) -> None:
    best = float("inf")
    for _ in range(ROUNDS):
        reset()
        start = time.process_time()
        for _ in range(count):
            function()
        best = min(best, (time.process_time() - start) / count)
    print(f"{name:52} {best * 1e6:9.2f} us")


def measure_appends(root: str, name: str, batch: bytearray, count: int) -> None:
    log, view = open_log(root), memoryview(batch)

    def append() -> None:
        stamp(batch, 0, 0, 0)  # as it came from the producer
        log.append_as_leader(view, 0, now_ms=NOW_MS)

    report(f"append {name}", append, count, lambda: log.truncate_fully(0, now_ms=NOW_MS))
    report(f"  of which validation, {name}", lambda: validate(log, batch, view), count)
    log.truncate_fully(0, now_ms=NOW_MS)
    measure_bare_writes(root, name, batch, count)


def validate(log: PartitionLog, batch: bytearray, view: memoryview) -> None:
    stamp(batch, 0, 0, 0)
    log.validation.validate(view, NOW_MS)


def measure_bare_writes(root: str, name: str, batch: bytearray, count: int) -> None:
    descriptor, path = tempfile.mkstemp(dir=root)
    os.unlink(path)
    position = 0

    def write() -> None:
        nonlocal position
        position += os.pwrite(descriptor, batch, position)

    def empty() -> None:
        nonlocal position
        os.ftruncate(descriptor, 0)
        position = 0

    report(f"  bare pwrite, {name}", write, count, empty)
    os.close(descriptor)


def measure_reads(root: str) -> None:
    log, batch = open_log(root), produced(1, 100)
    for _ in range(20_000):
        stamp(batch, 0, 0, 0)
        log.append_as_leader(memoryview(batch), 0, now_ms=NOW_MS)
    end = log.end_position
    log.active.know_position(19_990, log.position_of(19_990).position)

    def read(offset: int) -> None:
        found = log.read(offset, 1 << 20, end_offset=end)
        if found.slice is not None:
            found.slice.close()

    report("read at the end, where the reader was before", lambda: read(19_990), 20_000)
    report("read anywhere, by the index", lambda: read(7_777), 5_000)
    report("read with nothing to read", lambda: read(end.offset), 20_000)
    report("offset for timestamp", lambda: log.offset_for_timestamp(NOW_MS), 1_000)
    log.roll(now_ms=NOW_MS)
    report("read anywhere in a closed segment", lambda: read(7_777), 5_000)


def main() -> None:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as root:
        measure_appends(root, "1 record of 100 bytes", produced(1, 100), 20_000)
        measure_appends(root, "1,000 records of 1 KB", produced(1000, 1000), 100)
        measure_appends(root, "9,000 records of 100 bytes", produced(9000, 100), 100)
        measure_appends(root, "1,000 records of 1 KB, zstd", produced(1000, 1000, Codec.ZSTD), 100)
        measure_reads(root)


if __name__ == "__main__":
    main()
