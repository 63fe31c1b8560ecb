"""What a broker does by itself, with nobody asking: retention, and the flushes that `flush.ms` promises."""

from pathlib import Path

import pytest

from ottla.errors import ErrorCode
from ottla.testing import EmbeddedBroker
from support.embedded import log_of
from support.eventually import eventually
from support.raw_kafka import RawKafka
from support.raw_requests import EARLIEST, batch, list_offsets, produce

TOPIC = "t"


def fill(broker: EmbeddedBroker, batches: int = 1) -> None:
    with RawKafka(broker.address) as raw:
        for _ in range(batches):
            assert produce(raw, TOPIC, batch()).error_code == ErrorCode.NONE


def earliest(broker: EmbeddedBroker) -> int:
    with RawKafka(broker.address) as raw:
        return int(list_offsets(raw, TOPIC, EARLIEST).offset)


def test_old_records_go_by_themselves_and_their_files_with_them(tmp_path: Path) -> None:
    segment_of_each = {"segment.bytes": str(len(batch()))}
    removed_at_once = {"file.delete.delay.ms": "0"}
    with EmbeddedBroker(directory=tmp_path, properties={"log.retention.check.interval.ms": 100}) as broker:
        broker.create_topic(TOPIC, configs={"retention.ms": "1"} | segment_of_each | removed_at_once)
        fill(broker, 3)
        eventually(lambda: earliest(broker) == 3)
        directory = Path(log_of(broker, TOPIC).directory)
        only_active = [f"{3:020}.log"]
        eventually(lambda: sorted(path.name for path in directory.glob("*.log*")) == only_active)


@pytest.mark.parametrize(
    ("properties", "configs"),
    [({}, {"flush.ms": "100"}), ({"log.flush.interval.ms": 100}, {})],
    ids=["topic", "broker"],
)
def test_what_is_appended_becomes_durable_by_itself_with_flush_ms(
    tmp_path: Path, properties: dict[str, int], configs: dict[str, str]
) -> None:
    with EmbeddedBroker(directory=tmp_path, properties=properties) as broker:
        broker.create_topic(TOPIC, configs=configs)
        fill(broker)
        log = log_of(broker, TOPIC)
        assert log.log_end_offset == 1
        eventually(lambda: log.recovery_point == 1)
        assert len(log.segments) == 1  # So it was no roll.
