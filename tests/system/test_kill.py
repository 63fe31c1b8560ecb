"""kill -9 while a client produces: every acknowledged record is there after the restart, and none is torn.

The page cache outlives the process, so that this holds without any fsync; for a cut of the power see test_power_cut.
"""

from pathlib import Path

import pytest

from support.acknowledged import AcknowledgedProducer, assert_nothing_lost
from support.broker import OttlaProcess, running
from support.raw_kafka import RawKafka, create_topic
from support.raw_requests import LATEST, batch, list_offsets, new_producer_id, produce

TOPIC = "killed"


def survive_kills(broker: OttlaProcess, kills: int, config: dict[str, object], topic_config: dict[str, str]) -> None:
    create_topic(broker.address, TOPIC, configs=topic_config)
    with AcknowledgedProducer(broker.address, TOPIC, config) as producer:
        for _ in range(kills):
            producer.await_more(3000)
            broker.kill()
            broker.start()
            producer.await_more()
    assert_nothing_lost(broker.address, TOPIC, producer)
    assert producer.errors == []


@pytest.mark.parametrize("acks", ["all", "1"])
def test_kill_loses_no_acknowledged_record(tmp_path: Path, acks: str):
    with running(OttlaProcess(tmp_path)) as broker:
        survive_kills(broker, 2, {"acks": acks}, {})


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("codec", ["none", "lz4"])
@pytest.mark.parametrize("acks", ["all", "1"])
def test_many_kills_lose_no_acknowledged_record(tmp_path: Path, acks: str, codec: str):
    """With small segments, so that kills come between the steps of a roll too."""
    with running(OttlaProcess(tmp_path)) as broker:
        survive_kills(broker, 15, {"acks": acks, "compression.type": codec}, {"segment.bytes": "200000"})


@pytest.mark.long
@pytest.mark.timeout(600)
def test_idempotent_producer_writes_each_record_once_through_kills(tmp_path: Path):
    with running(OttlaProcess(tmp_path)) as broker:
        create_topic(broker.address, TOPIC, configs={"segment.bytes": "200000"})
        with AcknowledgedProducer(broker.address, TOPIC, {"enable.idempotence": True}) as producer:
            for _ in range(10):
                producer.await_more(3000)
                broker.kill()
                broker.start()
                producer.await_more()
        assert_nothing_lost(broker.address, TOPIC, producer)
        assert producer.errors == []
        with RawKafka(broker.address) as raw:
            assert list_offsets(raw, TOPIC, LATEST).offset == producer.count


def test_25_duplicate_is_known_after_a_kill_and_after_a_clean_stop(tmp_path: Path):
    with running(OttlaProcess(tmp_path)) as broker:
        create_topic(broker.address, TOPIC)
        with RawKafka(broker.address) as raw:
            producer_id = new_producer_id(raw)
        for sequence, end in enumerate((broker.kill, broker.stop)):
            records = batch(producer_id=producer_id, producer_epoch=0, base_sequence=sequence)
            with RawKafka(broker.address) as raw:
                assert produce(raw, TOPIC, records).base_offset == sequence
            end()
            broker.start()
            with RawKafka(broker.address) as raw:
                again = produce(raw, TOPIC, records)
                assert (again.error_code, again.base_offset) == (0, sequence)
                assert list_offsets(raw, TOPIC, LATEST).offset == sequence + 1


def test_26_producer_ids_are_not_given_again_after_a_kill(tmp_path: Path):
    seen: set[int] = set()
    with running(OttlaProcess(tmp_path)) as broker:
        for _ in range(3):
            with RawKafka(broker.address) as raw:
                ids = {new_producer_id(raw) for _ in range(20)}
            assert not ids & seen
            seen |= ids
            broker.kill()
            broker.start()
