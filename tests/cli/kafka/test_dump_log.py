"""`kafka-dump-log`, beside Kafka 3.9's, on files of ours."""

from pathlib import Path

import pytest

import ottla as clients
from ottla.protocol.coordinator_records.transaction_log import PartitionsSchema, TransactionLogKey, TransactionLogValue
from ottla.protocol.versioned import encode_versioned
from ottla.records.attributes import Codec
from ottla.records.legacy import down_convert
from ottla.records.record import Record, encode_batch
from ottla.testing import EmbeddedBroker
from support.command import run_here

FILES = ("log", "index", "timeindex")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A partition with every kind of record, of a broker that has stopped."""
    home = tmp_path_factory.mktemp("dumped")
    with EmbeddedBroker(directory=home, properties={"log.index.interval.bytes": 100}) as broker:
        broker.create_topic("clicks")
        for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
            with clients.Producer(broker.bootstrap_servers, compression_type=codec) as producer:
                producer.send("clicks", b"value", key=b"key", headers=[("h", b"x"), ("n", None)])
                producer.flush()
                producer.send_many("clicks", [b"a" * 200, None, b""], keys=[None, b"", b"k"])
        with clients.Admin(broker.bootstrap_servers) as admin:
            admin.alter_group_offsets("g", {clients.TopicPartition("clicks", 0): 3}).check()
    return home / "logs-0"


@pytest.mark.parametrize("options", ["", "--print-data-log", "--deep-iteration", "--verify-index-only"])
def test_prints_what_kafka_prints(side_by_side, directory: Path, options: str) -> None:  # type: ignore[no-untyped-def]
    files = ",".join(str(directory / "clicks-0" / f"{0:020d}.{suffix}") for suffix in FILES)
    side_by_side("kafka-dump-log", "--files", files, *options.split(), connect=False)


def test_record_metadata_is_left_out(side_by_side, directory: Path) -> None:  # type: ignore[no-untyped-def]
    file = str(directory / "clicks-0" / f"{0:020d}.log")
    side_by_side("kafka-dump-log", "--files", file, "--print-data-log", "--skip-record-metadata", connect=False)


def test_producer_snapshots(side_by_side, directory: Path) -> None:  # type: ignore[no-untyped-def]
    for file in (directory / "clicks-0").glob("*.snapshot"):
        side_by_side("kafka-dump-log", "--files", str(file), connect=False, ordered=False)


def test_committed_offsets_are_decoded(side_by_side, directory: Path) -> None:  # type: ignore[no-untyped-def]
    file = str(directory / "__consumer_offsets-0" / f"{0:020d}.log")
    assert '"group":"g"' in side_by_side("kafka-dump-log", "--offsets-decoder", "--files", file, connect=False)


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.LZ4], ids=lambda codec: codec.name)
@pytest.mark.parametrize("magic", [0, 1])
def test_old_message_formats(side_by_side, tmp_path: Path, magic: int, codec: Codec) -> None:  # type: ignore[no-untyped-def]
    records = [Record(number, 1_700_000_000_000 + number, b"key", b"value %d" % number) for number in range(3)]
    records += [Record(3, 1_700_000_000_003, None, b"no key"), Record(4, 1_700_000_000_004, b"gone", None)]
    file = tmp_path / f"{0:020d}.log"
    file.write_bytes(down_convert(encode_batch(records, compression=codec), magic))
    for options in ((), ("--print-data-log",)):
        printed = side_by_side("kafka-dump-log", "--files", str(file), *options, connect=False)
        assert f"magic: {magic} compresscodec: {codec.name.lower()}" in printed


def test_states_of_transactions_are_decoded(side_by_side, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    key = encode_versioned(TransactionLogKey(transactional_id="shop"), 0)
    values = [
        TransactionLogValue(
            producer_id=7,
            producer_epoch=2,
            transaction_timeout_ms=60_000,
            transaction_status=status,
            transaction_partitions=[PartitionsSchema(topic="clicks", partition_ids=[status])],
            transaction_last_update_timestamp_ms=1_700_000_000_000,
            transaction_start_timestamp_ms=1_700_000_000_000,
        )
        for status in range(8)
    ]
    records = [Record(number, 1, key, encode_versioned(value, 0)) for number, value in enumerate(values)]
    file = tmp_path / f"{0:020d}.log"
    file.write_bytes(encode_batch([*records, Record(8, 1, key, None)]))
    printed = side_by_side("kafka-dump-log", "--transaction-log-decoder", "--files", str(file), connect=False)
    assert "transactionalId=shop" in printed


def test_what_is_no_segment_is_said_so(tmp_path: Path) -> None:
    missing, misnamed = tmp_path / f"{0:020d}.log", tmp_path / "clicks.log"
    misnamed.touch()
    assert "No such file" in run_here("kafka-dump-log", "--files", str(missing)).stderr
    assert "the offset of its first record" in run_here("kafka-dump-log", "--files", str(misnamed)).stderr
