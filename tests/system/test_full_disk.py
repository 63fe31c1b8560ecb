"""A disk runs full: producers are told, nothing is lost, the rest of the broker goes on, and room heals it."""

from pathlib import Path

import pytest

from ottla.errors import ErrorCode
from support.broker import OttlaProcess, running
from support.flash_disk import flash_disk
from support.raw_kafka import RawKafka, create_topic
from support.raw_requests import batch, fetch, headers_in, produce

pytestmark = [pytest.mark.long, pytest.mark.timeout(120)]

MEGABYTE = 1 << 20
DISK_BYTES = 48 * MEGABYTE
LARGE = [b"x" * 900_000]


def test_full_disk_refuses_appends_until_there_is_room_again(tmp_path: Path) -> None:
    with flash_disk(tmp_path, DISK_BYTES) as disk:
        full, roomy = disk.mount_point / "logs", tmp_path / "logs"
        ballast = disk.mount_point / "ballast"
        ballast.write_bytes(bytes(10 * MEGABYTE))
        broker = OttlaProcess(tmp_path / "broker", {"log.dirs": f"{full},{roomy}", "num.partitions": "1"})
        with running(broker):
            for topic in ("a", "b"):  # each goes to the directory that has the fewest
                create_topic(broker.address, topic)
            here, there = ("a", "b") if (full / "a-0").exists() else ("b", "a")
            with RawKafka(broker.address) as raw:
                acknowledged = 0
                while (answer := produce(raw, here, batch(LARGE))).error_code == ErrorCode.NONE:
                    acknowledged += 1
                    assert acknowledged * len(LARGE[0]) < DISK_BYTES
                assert answer.error_code == ErrorCode.KAFKA_STORAGE_ERROR
                assert acknowledged > 5
                assert produce(raw, here, batch(LARGE)).error_code == ErrorCode.KAFKA_STORAGE_ERROR
                assert produce(raw, there, batch(LARGE)).error_code == ErrorCode.NONE
                assert offsets_in(raw, here) == list(range(acknowledged))
                ballast.unlink()
                assert produce(raw, here, batch(LARGE)).base_offset == acknowledged
                assert offsets_in(raw, here) == list(range(acknowledged + 1))
            assert broker.stop() == 0
        with running(broker), RawKafka(broker.address) as raw:
            assert offsets_in(raw, here) == list(range(acknowledged + 1))


def offsets_in(raw: RawKafka, topic: str) -> list[int]:
    found: list[int] = []
    while records := fetch(raw, topic, len(found)).records:
        found += [header.base_offset for header in headers_in(records)]
    return found
