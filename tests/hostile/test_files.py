"""Whatever file of a data directory is damaged: the broker starts and serves all that is not, or says which file keeps
it from starting. It never hangs, spins, or gives wrong records for right ones.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hostile.damage import Damage, damage_one
from hostile.file_image import FileImage
from hostile.rounds import Round, do_all, rounds
from hostile.stored_records import PARTITIONS, PROPERTIES, TOPICS, Judgement, StoredRecords, is_known
from hostile.well_being import assert_no_bug, assert_rests, assert_stops, assert_well
from support.broker import OttlaProcess
from support.eventually import eventually
from support.raw_kafka import RawKafka, RawKafkaError

PARTITION_NAMES = [(topic, partition) for topic in TOPICS for partition in range(PARTITIONS)]


class DamagedDirectory:
    """The data directory of one broker, damaged anew in each round."""

    def __init__(self, broker: OttlaProcess, stored: StoredRecords, *, was_killed: bool) -> None:
        self._broker = broker
        self._stored = stored
        self._was_killed = was_killed
        self._places = {partition: stored.places(partition) for partition in PARTITION_NAMES}
        self._registry = broker.log_dir.parent / "zookeeper"
        self._image = FileImage([broker.log_dir, self._registry])

    def withstand(self, one: Round) -> str:
        self._image.restore()
        self._broker.output.write_bytes(b"")
        damage = damage_one(one.rng, list(self._image.files))
        try:
            self._judge(damage)
        except Exception as error:
            error.add_note(f"{damage}\n{self._broker.tail(2000)}")
            raise
        finally:
            self._broker.kill()
        return str(damage)

    def _judge(self, damage: Damage) -> None:
        broker = self._broker
        broker.launch()
        eventually(lambda: broker.answers() or not broker.is_running)
        if broker.is_running and self._serves(damage):
            assert_rests(broker)
            assert_well(broker, errors=True)
            assert_stops(broker, [path.name for path in damage.paths])
        else:
            self._assert_refused(damage)

    def _serves(self, damage: Damage) -> bool:
        """What it can. False: it gave up when it came upon the damage."""
        try:
            self._judge_served(damage)
        except (ConnectionError, RawKafkaError):
            eventually(lambda: not self._broker.is_running, 5)
            return False
        return True

    def _judge_served(self, damage: Damage) -> None:
        broker = self._broker
        judgement = Judgement(self._stored, self._places, damage, broker.output, was_killed=self._was_killed)
        known = {topic for topic in TOPICS if is_known(broker.address, topic)}
        with RawKafka(broker.address) as raw:
            for partition in PARTITION_NAMES:
                if partition[0] in known:
                    judgement.of_partition(raw, partition)
            if known == set(TOPICS):
                judgement.of_group(raw)
            else:
                self._assert_only_registry_lost(damage)

    def _assert_refused(self, damage: Damage) -> None:
        """With an error that names what is damaged, or of ZooKeeper's files the directory."""
        said = self._broker.output.read_text(errors="replace")
        assert_no_bug(said)
        assert self._broker.wait() != 0
        named = {path.parent.name if self._registry in path.parents else path.name for path in damage.paths}
        assert any(name in said for name in named), "the broker ended and did not say why"

    def _assert_only_registry_lost(self, damage: Damage) -> None:
        """Topics are not known any more: it is said, and their records are left where they are."""
        assert all(self._registry in path.parents for path in damage.paths), "topics are unknown"
        said = self._broker.output.read_text(errors="replace")
        assert any(path.name in said for path in damage.paths), "topics were lost without a word"
        left = {path.name: path.read_bytes() for path in self._broker.log_dir.rglob("*.log")}
        wanted = {path: data for path, data in self._image.files.items() if path.suffix == ".log"}
        assert all(left.get(path.name, b"").startswith(data) for path, data in wanted.items()), "records were deleted"


@contextmanager
def directory_left_by(directory: Path, *, was_killed: bool) -> Iterator[DamagedDirectory]:
    """The cleaner comes when all is written, and only once: the same files each time, and they stay."""
    broker = OttlaProcess(directory, PROPERTIES | {"log.cleaner.enable": "false"})
    try:
        broker.start()
        stored = StoredRecords(broker.address, broker.log_dir)
        broker.stop()
        broker.properties["log.cleaner.enable"] = "true"
        broker.start()
        stored.await_cleaned()
        broker.stop()
        broker.properties["log.cleaner.enable"] = "false"
        broker.start()
        with RawKafka(broker.address) as raw:
            stored.note(raw)
        broker.kill() if was_killed else broker.stop()
        yield DamagedDirectory(broker, stored, was_killed=was_killed)
    finally:
        broker.kill()


LONG = [pytest.mark.long, pytest.mark.timeout(1800)]


@pytest.mark.parametrize(("seed", "count"), [(1, 2), pytest.param(2, 300, marks=LONG)])
def test_broker_withstands_damage_after_a_clean_stop(
    tmp_path: Path, pytestconfig: pytest.Config, seed: int, count: int
) -> None:
    with directory_left_by(tmp_path, was_killed=False) as damaged:
        do_all(rounds(pytestconfig, seed, count), damaged.withstand)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_broker_withstands_damage_after_a_kill(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    with directory_left_by(tmp_path, was_killed=True) as damaged:
        do_all(rounds(pytestconfig, 3, 200), damaged.withstand)
