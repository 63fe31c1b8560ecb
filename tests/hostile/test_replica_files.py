"""A replica's files damaged while its broker is down: it is healed from the others, or says which file keeps it from
starting and is healed when it comes back with a new disk. Whoever reads, from the leader or from a follower, never gets
wrong records for right ones.

Not all damage is healed: no broker reads closed segments again, Kafka's no more than ours. What is damaged there shows
when it is read, by its checksum. Where a closed segment was cut since its indexes had to be made anew, readers of that
replica find a gap, and the log names the segment.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hostile.batches import Batches, first_batch, looks_right, read_batches
from hostile.damage import Damage, damage_one
from hostile.places import leader_address
from hostile.replica_files import assert_replicas_end_equal, batches_on_disk
from hostile.rounds import Round, do_all, rounds
from hostile.well_being import assert_no_bug, assert_rests, assert_stops, assert_well
from ottla.records.batch import decode_header
from support.broker import OttlaProcess
from support.cluster import Cluster, cluster_in
from support.eventually import eventually
from support.raw_kafka import RawKafka
from support.raw_requests import batch, fetch, produce

TOPIC = "replicated"
CONFIGS = {"segment_bytes": "6000", "index_interval_bytes": "600", "retention_ms": "-1", "min_insync_replicas": "2"}
BATCHES = 40


class DamagedReplica:
    """One replica of three, damaged anew in each round; whole again before the next."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        cluster.create_topic(TOPIC, **CONFIGS)
        with RawKafka(leader_address(cluster.brokers[0].address, TOPIC)) as raw:
            for number in range(BATCHES):
                assert produce(raw, TOPIC, batch([b"%d " % number * 100] * 3)).error_code == 0
            self._batches: Batches = read_batches(raw, TOPIC)
        cluster.await_in_sync(TOPIC)

    def withstand(self, one: Round) -> str:
        victim = self._cluster.brokers[one.rng.choice(sorted(self._cluster.brokers))]
        for broker in self._cluster.brokers.values():
            broker.output.write_bytes(b"")
        was_killed = one.rng.random() < 0.5
        victim.kill() if was_killed else assert_stops(victim)
        damage = damage_one(one.rng, [path for path in victim.log_dir.rglob("*") if path.is_file()])
        what = f"{damage}, {'killed' if was_killed else 'stopped'} before"
        try:
            self._judge(victim, damage)
        except Exception as error:
            error.add_note(f"{what}\n{victim.tail(2000)}")
            victim.kill()
            raise
        finally:
            is_left = any(path.is_dir() for path in damage.paths)  # A directory may stand in a file's place for long.
            if not victim.is_running or is_left or batches_on_disk(victim, TOPIC) != self._batches:
                self._renew(victim)
        return what

    def _judge(self, victim: OttlaProcess, damage: Damage) -> None:
        victim.launch()
        eventually(lambda: victim.answers() or not victim.is_running)
        if not victim.is_running:
            self._assert_refused(victim, damage)
            return
        self._cluster.await_in_sync(TOPIC)
        with RawKafka(leader_address(self._cluster.brokers[0].address, TOPIC)) as raw:
            assert produce(raw, TOPIC, batch([b"afterwards"])).error_code == 0
            found = read_batches(raw, TOPIC)
        assert {offset: found.get(offset) for offset in self._batches} == self._batches, "acknowledged records changed"
        self._batches = found
        self._assert_not_taken_for_right(victim, damage)
        assert_rests(victim)
        for broker in self._cluster.brokers.values():
            assert_well(broker, errors=broker is victim)

    def _assert_refused(self, victim: OttlaProcess, damage: Damage) -> None:
        said = victim.output.read_text(errors="replace")
        assert_no_bug(said)
        assert any(path.name in said for path in damage.paths), "the broker ended and did not say why"

    def _assert_not_taken_for_right(self, victim: OttlaProcess, damage: Damage) -> None:
        """To those who read from a follower, which is who names its rack (KIP-392)."""
        with RawKafka(victim.address) as raw:
            for base_offset in self._batches:
                answer = fetch(raw, TOPIC, base_offset, max_bytes=1, rack_id="anywhere")
                got = first_batch(bytes(answer.records or b""))
                if answer.error_code or not looks_right(got):
                    continue
                found = decode_header(got).base_offset
                assert self._batches.get(found) == got, f"wrong bytes at offset {found} of {victim.address}"
                if found != base_offset:
                    said = victim.output.read_text(errors="replace")
                    assert any(path.stem in said for path in damage.paths), f"{base_offset} is skipped without a word"

    def _renew(self, victim: OttlaProcess) -> None:
        """A new disk: it has nothing, and fetches everything. Its id is free when its old session has ended."""
        victim.kill()
        shutil.rmtree(victim.log_dir)

        def is_up() -> bool:
            if not victim.is_running:
                victim.launch()
            return victim.answers()

        eventually(is_up, 60)
        self._cluster.await_in_sync(TOPIC)


@contextmanager
def damaged_replica(directory: Path) -> Iterator[DamagedReplica]:
    with cluster_in(directory) as cluster:
        yield DamagedReplica(cluster)
        assert_replicas_end_equal(cluster, TOPIC)
        for broker in cluster.brokers.values():
            assert_stops(broker)


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 1), pytest.param(2, 60, marks=[pytest.mark.long, pytest.mark.timeout(1800)])]
)
def test_damaged_replica_is_healed_or_refused(
    tmp_path: Path, pytestconfig: pytest.Config, seed: int, count: int
) -> None:
    with damaged_replica(tmp_path) as damaged:
        do_all(rounds(pytestconfig, seed, count), damaged.withstand)
