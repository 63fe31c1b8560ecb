"""Apache Kafka's own DumpLogSegments reads every file that we write and finds nothing wrong."""

import re
import shutil
from pathlib import Path

import pytest

from ottla.records.attributes import Codec
from ottla.records.control import ControlType, encode_end_txn_batch
from ottla.storage.log.batch_validation import Origin
from ottla.storage.log.partition_log import PartitionLog
from support.logs import NOW_MS, batch, create_log, read_all, take
from support.peers import run_kafka_class

COMPLAINTS = (
    "Mismatches",
    "Found timestamp mismatch",
    "out of order",
    "Corrupt",
    "isvalid: false",
    "Exception",
    "failed",
)


def write_everything(log: PartitionLog) -> None:
    """Every codec, null and empty keys and values, idempotent and transactional batches, commits and aborts."""
    for number in range(60):
        values = [b"value %d" % number, None, b""]
        keys = [b"key %d" % number, b"", None]
        producer = {"producer_id": 7, "producer_epoch": 1, "base_sequence": 3 * number, "is_transactional": True}
        options = producer if number % 3 == 0 else {}
        if options:
            options["base_sequence"] = number
        codec = list(Codec)[number % 5]
        stamps = [NOW_MS + 1000 * number, NOW_MS + 10, NOW_MS]
        records = batch(values, keys=keys, timestamps=stamps, compression=codec, **options)
        log.append_as_leader(records, number // 20, now_ms=NOW_MS, origin=Origin.TRANSACTION)
        if options:
            control_type = ControlType.ABORT if number % 2 else ControlType.COMMIT
            marker = encode_end_txn_batch(
                control_type, producer_id=7, producer_epoch=1, coordinator_epoch=0, timestamp=NOW_MS
            )
            log.append_as_leader(memoryview(bytearray(marker)), number // 20, now_ms=NOW_MS, origin=Origin.COORDINATOR)


def follow(leader: PartitionLog, follower: PartitionLog) -> None:
    while follower.log_end_offset < leader.log_end_offset:
        read = leader.read(follower.log_end_offset, 3000, end_offset=leader.end_position, minimum_one_batch=True)
        follower.append_as_follower(memoryview(take(read)), now_ms=NOW_MS)


def files_of(log: PartitionLog) -> list[Path]:
    return sorted(Path(log.directory).iterdir())


def dump(files: list[Path], *options: str) -> tuple[str, list[str]]:
    """What the tool says of the files, and what it complains about."""
    arguments = [*options, "--files", ",".join(map(str, files))]
    result = run_kafka_class("3.9.1", "kafka.tools.DumpLogSegments", *arguments)
    output = result.stdout + result.stderr
    complaints = [line for line in output.splitlines() if any(complaint in line for complaint in COMPLAINTS)]
    return output, complaints


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> PartitionLog:
    log = create_log(tmp_path_factory.mktemp("leader"), segment_bytes=4000, index_interval_bytes=300)
    write_everything(log)
    log.close()
    return log


def test_kafka_reads_every_file_of_a_leader_and_of_a_follower(
    log: PartitionLog, tmp_path_factory: pytest.TempPathFactory
) -> None:
    follower = create_log(tmp_path_factory.mktemp("follower"), segment_bytes=2500, index_interval_bytes=300)
    follow(log, follower)
    follower.close()
    files = files_of(log)
    suffixes = {path.suffix for path in files}
    assert suffixes == {".log", ".index", ".timeindex", ".txnindex", ".snapshot"}
    output, complaints = dump(files + files_of(follower), "--deep-iteration", "--print-data-log")
    assert complaints == []
    records = read_all(log)
    assert [int(offset) for offset in re.findall(r"^\| offset: (\d+)", output, re.MULTILINE)] == 2 * [
        record.offset for record in records
    ]
    assert output.count("payload: value ") == 2 * 60
    assert output.count("endTxnMarker: ABORT") == 2 * 10
    assert output.count("producerId: 7 ") >= 2 * 40


def test_kafka_finds_the_indexes_sane_and_right(log: PartitionLog) -> None:
    indexes = [path for path in files_of(log) if path.suffix in {".index", ".timeindex"}]
    output, complaints = dump(indexes, "--index-sanity-check")
    assert complaints == []
    assert output.count("passed sanity check") == len(indexes)


def test_kafka_would_have_found_a_wrong_entry(log: PartitionLog, tmp_path: Path) -> None:
    for path in files_of(log)[:4]:
        shutil.copy(path, tmp_path)
    index = next(tmp_path.glob("*.index"))
    content = bytearray(index.read_bytes())
    content[3] += 1
    index.write_bytes(content)
    _, complaints = dump([index], "--verify-index-only")
    assert complaints
