"""The data directory and ZooKeeper of a stopped Apache Kafka 3.9.1: Ottla serves all of it, and Kafka takes it back.

What both write is Kafka's own format: so its DumpLogSegments reads Ottla's segments and finds nothing wrong.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ottla.records.legacy import decode_messages
from ottla.records.record import Record
from support.broker import BROKER_ID, BrokerProcess, KafkaProcess, OttlaProcess, running
from support.drivers.catalogue import close_all, driver
from support.drivers.records import CODECS, ClientRecord
from support.drivers.samples import assert_same, varied_records
from support.peers import run_kafka_class
from support.raw_kafka import RawKafka, create_topic, topic_metadata
from support.raw_requests import batch, fetch, new_producer_id, produce
from support.raw_zookeeper import RawClient
from support.zookeepers import ZooKeeperProcess, embedded_server

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

CLIENT = "confluent-kafka"


@pytest.fixture
def zookeeper(tmp_path: Path) -> Iterator[ZooKeeperProcess]:
    server = embedded_server(tmp_path / "zookeeper", tickTime="500")
    server.start()
    yield server
    server.kill()
    close_all()


def brokers_on(zookeeper: ZooKeeperProcess, directory: Path) -> tuple[BrokerProcess, BrokerProcess]:
    """Kafka and Ottla with the same id, log directory and ZooKeeper, to be run in turn."""
    shared = {"zookeeper.connect": zookeeper.address, "log.dirs": str(directory / "logs")}
    return KafkaProcess(directory / "kafka", shared), OttlaProcess(directory / "ottla", shared)


def write_every_codec(broker: BrokerProcess) -> None:
    for codec in CODECS:
        create_topic(broker.address, f"codec-{codec}", configs={"segment.bytes": "8000"})
        driver(CLIENT).produce(broker.address, f"codec-{codec}", varied_records(driver(CLIENT)), codec=codec)


def assert_every_codec(broker: BrokerProcess, times: int = 1) -> None:
    sent = varied_records(driver(CLIENT)) * times
    for codec in CODECS:
        assert_same(driver(CLIENT).consume(broker.address, f"codec-{codec}", {0: 0}, len(sent)), sent)


def test_data_goes_from_kafka_to_ottla_and_back(zookeeper: ZooKeeperProcess, tmp_path: Path):
    kafka, ottla = brokers_on(zookeeper, tmp_path)
    with running(kafka):
        write_every_codec(kafka)
        topic_id = topic_metadata(kafka.address, "codec-gzip").topic_id
        kafka.stop()
    with running(ottla):
        assert topic_metadata(ottla.address, "codec-gzip").topic_id == topic_id
        assert_every_codec(ottla)
        for codec in CODECS:
            driver(CLIENT).produce(ottla.address, f"codec-{codec}", varied_records(driver(CLIENT)), codec=codec)
        assert ottla.stop() == 0
    with running(kafka):
        assert_every_codec(kafka, times=2)
        driver(CLIENT).produce(kafka.address, "codec-none", [ClientRecord(b"k", b"back in Kafka")])
        kafka.stop()
    with running(ottla):
        assert_every_codec(ottla, times=2)


def test_topic_settings_and_producer_state_of_kafka_hold_in_ottla(zookeeper: ZooKeeperProcess, tmp_path: Path):
    kafka, ottla = brokers_on(zookeeper, tmp_path)
    with running(kafka):
        create_topic(kafka.address, "small", configs={"max.message.bytes": "1000"})
        with RawKafka(kafka.address) as raw:
            producer_id = new_producer_id(raw)
            records = batch(producer_id=producer_id, producer_epoch=0, base_sequence=0)
            assert produce(raw, "small", records).base_offset == 0
        kafka.stop()
    with running(ottla), RawKafka(ottla.address) as raw:
        again = produce(raw, "small", records)
        assert (again.error_code, again.base_offset) == (0, 0)
        assert produce(raw, "small", batch([b"x" * 2000])).error_code == 10
        assert new_producer_id(raw) > producer_id


def test_kafka_killed_in_its_work_is_recovered_by_ottla(zookeeper: ZooKeeperProcess, tmp_path: Path):
    kafka, ottla = brokers_on(zookeeper, tmp_path)
    kafka.properties["zookeeper.session.timeout.ms"] = "2000"
    with running(kafka):
        write_every_codec(kafka)
        kafka.kill()
    await_session_end(zookeeper)
    with running(ottla):
        assert_every_codec(ottla)


@pytest.mark.parametrize(("format_version", "magic"), [("0.9.0", 0), ("0.10.2", 1)])
def test_records_in_the_formats_of_old_kafkas_are_recovered_and_served_to_every_client(
    zookeeper: ZooKeeperProcess, tmp_path: Path, format_version: str, magic: int
):
    kafka, ottla = brokers_on(zookeeper, tmp_path)
    kafka.properties |= {
        "inter.broker.protocol.version": "2.8",
        "log.message.format.version": format_version,
        "zookeeper.session.timeout.ms": "2000",
    }
    stamps = [1_700_000_000_000 + number for number in range(100)]
    sent = [ClientRecord(b"%d" % number, b"x" * 100_000 + b"%d" % number, (), at) for number, at in enumerate(stamps)]
    codecs = [codec for codec in CODECS if codec != "zstd"]
    with running(kafka):
        for codec in codecs:
            create_topic(kafka.address, f"old-{codec}")
            driver(CLIENT).produce(kafka.address, f"old-{codec}", sent, codec=codec)
        kafka.kill()
    await_session_end(zookeeper)
    expected = sent if magic else [record._replace(timestamp=-1) for record in sent]
    with running(ottla):
        for codec in codecs:
            got = driver(CLIENT).consume(ottla.address, f"old-{codec}", {0: 0}, len(sent))
            assert [(record.key, record.value) for record in got] == [(record.key, record.value) for record in sent]
            with RawKafka(ottla.address) as raw:
                for version in (0, 2, 4, 11):
                    found = fetch_all(raw, f"old-{codec}", version, len(sent))
                    is_stamped = magic == 1 and version >= 2
                    stamped = [record.timestamp if is_stamped else -1 for record in expected]
                    assert [record.offset for record in found] == list(range(len(sent)))
                    assert [record.value for record in found] == [record.value for record in sent]
                    assert [record.timestamp for record in found] == stamped
            driver(CLIENT).produce(ottla.address, f"old-{codec}", [ClientRecord(b"new", b"in format 2")])
            assert driver(CLIENT).consume(ottla.address, f"old-{codec}", {0: len(sent)}, 1)[0].key == b"new"


def fetch_all(raw: RawKafka, topic: str, version: int, count: int) -> list[Record]:
    """So many records; an answer of converted ones has two megabytes at most."""
    found: list[Record] = []
    while len(found) < count:
        records = fetch(raw, topic, len(found), version=version, max_bytes=30_000_000).records
        more = [one for one in decode_messages(records, partial_tail=True) if one.offset >= len(found)]
        assert more
        found += more
    return found


def await_session_end(zookeeper: ZooKeeperProcess) -> None:
    """Until ZooKeeper has taken the killed broker's registration away; while it is there, nobody may take its id."""
    client = RawClient(zookeeper.port)
    deadline = time.monotonic() + 30
    while client.get(f"/brokers/ids/{BROKER_ID}").error == 0:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    client.close()


def test_dump_log_segments_reads_what_ottla_wrote(tmp_path: Path):
    with running(OttlaProcess(tmp_path)) as broker:
        write_every_codec(broker)
        assert broker.stop() == 0
    for codec in CODECS:
        directory = broker.log_dir / f"codec-{codec}-0"
        files = sorted([*directory.glob("*.log"), *directory.glob("*.index"), *directory.glob("*.timeindex")])
        done = run_kafka_class(
            "3.9.1", "kafka.tools.DumpLogSegments", "--deep-iteration", "--files", ",".join(map(str, files))
        )
        assert done.returncode == 0, done.stderr
        assert "payload: with two" not in done.stdout  # Without --print-data-log no data is shown,
        assert done.stdout.count("isvalid: true") >= 1  # but every batch has been checked.
        for complaint in ("isvalid: false", "Non-consecutive", "Index position", "Mismatches", "Found"):
            assert complaint not in done.stdout, done.stdout
