"""A clean stop: the next start reads the last headers of each partition and no more, and nothing is forgotten."""

import re
from pathlib import Path

import pytest

from support.acknowledged import AcknowledgedProducer, assert_nothing_lost
from support.broker import OttlaProcess, running
from support.peers import require_command
from support.raw_kafka import RawKafka, create_topic
from support.raw_requests import batch, fetch, produce

TOPIC = "restarted"
PARTITIONS = 3
PAGE_BYTES = 8192
READS = "trace=read,pread64,readv,preadv,preadv2,mmap,sendfile,copy_file_range"


def start_traced(broker: OttlaProcess) -> int:
    """Start under strace, which stands beside (-D), and sum what is read of segment files until the broker answers."""
    trace = broker.directory / "trace"
    trace.unlink(missing_ok=True)
    broker.start((require_command("strace"), "-D", "-f", "-y", "-qq", "-e", READS, "-o", str(trace)))
    log = re.escape(str(broker.log_dir)) + r"/[^>]*\.log>.* = (\d+)$"
    return sum(map(int, re.findall(log, trace.read_text(errors="replace"), re.MULTILINE)))


def fill(broker: OttlaProcess) -> None:
    create_topic(broker.address, TOPIC, PARTITIONS, {"segment.bytes": "20000"})
    with RawKafka(broker.address) as raw:
        for number in range(30):
            assert produce(raw, TOPIC, batch([b"x" * 1000] * 3), partition=number % PARTITIONS).error_code == 0


def test_clean_stop_ends_with_success_and_says_so(tmp_path: Path):
    broker = OttlaProcess(tmp_path)
    with running(broker):
        fill(broker)
        assert broker.stop() == 0
    assert (broker.log_dir / ".kafka_cleanshutdown").exists(), broker.tail()


def test_start_after_a_clean_stop_reads_a_page_of_headers_of_each_partition(tmp_path: Path):
    broker = OttlaProcess(tmp_path)
    with running(broker):
        fill(broker)
        broker.stop()
        assert 0 < start_traced(broker) <= PARTITIONS * PAGE_BYTES
        with RawKafka(broker.address) as raw:
            assert fetch(raw, TOPIC, 0).high_watermark == 30
        broker.kill()
        assert start_traced(broker) > PARTITIONS * PAGE_BYTES  # After a kill it reads whole segments.


@pytest.mark.parametrize("acks", ["all", "1"])
def test_producer_goes_on_through_clean_restarts(tmp_path: Path, acks: str):
    with running(OttlaProcess(tmp_path)) as broker:
        create_topic(broker.address, TOPIC)
        with AcknowledgedProducer(broker.address, TOPIC, {"acks": acks}) as producer:
            for _ in range(2):
                producer.await_more(2000)
                assert broker.stop() == 0
                broker.start()
                producer.await_more()
        assert_nothing_lost(broker.address, TOPIC, producer)


def test_second_broker_on_the_same_directory_is_refused(tmp_path: Path):
    with running(OttlaProcess(tmp_path)) as broker:
        second = OttlaProcess(tmp_path / "second", {"log.dirs": str(broker.log_dir)})
        second.launch()
        assert second.wait() != 0
        assert str(broker.log_dir) in second.tail()
        assert broker.answers()
