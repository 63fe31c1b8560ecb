"""A broker on its embedded ZooKeeper starts again, whatever happened to its files, or says why not and what to do."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support.broker import OttlaProcess, running
from support.raw_kafka import RawKafka, create_topic
from support.raw_requests import batch, fetch, produce

TOPIC = "kept"
SESSION = {"zookeeper.session.timeout.ms": "2000"}


def killed(directory: Path) -> OttlaProcess:
    """A broker that was killed with one record in its topic."""
    broker = OttlaProcess(directory, SESSION)
    with running(broker):
        create_topic(broker.address, TOPIC)
        with RawKafka(broker.address) as raw:
            assert produce(raw, TOPIC, batch([b"value"])).error_code == 0
        broker.kill()
    return broker


def copy_over(broker: OttlaProcess) -> None:
    """As a restore does: the same content in other inodes."""
    copy = broker.directory.with_name("copy")
    shutil.copytree(broker.directory, copy, symlinks=True)
    shutil.rmtree(broker.directory)
    copy.rename(broker.directory)


def with_session_file(change: Callable[[Path], object]) -> Callable[[OttlaProcess], None]:
    return lambda broker: change(broker.log_dir / "zookeeper-session") and None


@pytest.mark.parametrize(
    "happen",
    [
        pytest.param(copy_over, id="copied"),
        pytest.param(with_session_file(Path.unlink), id="session file lost"),
        pytest.param(with_session_file(lambda path: path.write_bytes(path.read_bytes()[:20])), id="truncated"),
        pytest.param(with_session_file(lambda path: path.write_bytes(b"\xa5" * 100)), id="garbage"),
    ],
)
def test_killed_broker_starts_again_and_serves_what_it_had(
    tmp_path: Path, happen: Callable[[OttlaProcess], None]
) -> None:
    broker = killed(tmp_path / "broker")
    happen(broker)
    with running(broker), RawKafka(broker.address) as raw:
        assert fetch(raw, TOPIC, 0).high_watermark == 1
        assert broker.stop() == 0


def test_unreadable_zookeeper_log_is_refused_and_left_as_it_is_and_without_it_the_loss_is_told(tmp_path: Path) -> None:
    broker = killed(tmp_path)
    (log,) = (tmp_path / "zookeeper" / "ottla-1").glob("log.*")
    zeros = bytes(log.stat().st_size)
    log.write_bytes(zeros)
    broker.launch()
    assert broker.wait() == 2
    assert f"{log} cannot be read from its first byte on" in broker.tail()
    assert TOPIC in broker.tail()
    assert log.read_bytes() == zeros
    log.unlink()
    with running(broker):
        assert f"1 partitions of 1 topics that ZooKeeper does not know ({TOPIC})" in broker.output.read_text()
        assert "ottla log adopt" in broker.output.read_text()


def test_brokers_beside_each_other_do_not_share_an_embedded_zookeeper(tmp_path: Path) -> None:
    first = OttlaProcess(tmp_path / "1", {"log.dirs": str(tmp_path / "s1" / "a")})
    second = OttlaProcess(tmp_path / "2", {"log.dirs": str(tmp_path / "s1" / "b")})
    with running(first):
        create_topic(first.address, TOPIC)
        second.launch()
        assert second.wait() == 2
    second.launch()
    assert second.wait() == 2
    for said in (str(tmp_path / "s1" / "a"), str(tmp_path / "s1" / "b"), "ottla.zookeeper.data.dir"):
        assert said in second.tail()
    second.properties["ottla.zookeeper.data.dir"] = str(tmp_path / "s1" / "zookeeper-b")
    with running(first), running(second):
        assert first.answers()


def test_second_live_broker_of_one_id_is_refused_when_it_has_waited_for_the_first(tmp_path: Path) -> None:
    with running(OttlaProcess(tmp_path / "1", {"ottla.zookeeper.port": "0"})) as first:
        zookeeper = first.output.read_text().split("ZooKeeper server on ")[1].split(",")[0]
        second = OttlaProcess(tmp_path / "2", SESSION | {"zookeeper.connect": zookeeper})
        second.launch()
        assert second.wait() == 2
        assert "waiting up to 3.0 s for it to end" in second.tail()
        assert "Give this broker another broker.id, or stop the other one" in second.tail()
        assert first.answers()
