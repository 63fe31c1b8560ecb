"""Garbage in a znode: the broker goes on for everybody else, says which path it cannot read, and all is well again when
the znode is put right.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hostile.kept_records import KeptRecords
from hostile.places import create_topic
from hostile.rounds import Round, do_all, rounds
from hostile.well_being import assert_no_bug, assert_rests, assert_serves, assert_stops, assert_well
from hostile.znode_garbage import TARGETS, VICTIM, Target, garbage
from ottla.coordination.blocking_client import BlockingClient
from ottla.coordination.connect_string import parse_connect_string
from ottla.coordination.errors import NoNodeError
from support.broker import OttlaProcess
from support.eventually import eventually
from support.raw_kafka import RawKafka, topic_metadata
from support.raw_requests import batch, produce
from support.zookeepers import embedded_server

LINES_MAX = 20  # of the log that name the path: a word about it, and no storm
RESTART_SHARE = 0.25


class GarbledRegistry:
    def __init__(self, broker: OttlaProcess, registry: BlockingClient) -> None:
        self._broker = broker
        self._registry = registry
        self._kept = KeptRecords(broker.address)
        create_topic(broker.address, VICTIM)

    def withstand(self, one: Round) -> str:
        target = one.rng.choice(TARGETS)
        before = self._data(target.path)
        data, is_unreadable = garbage(one.rng, before or target.valid)
        restarts = one.rng.random() < RESTART_SHARE
        what = f"{data[:80]!r} in {target.path}{', restarted' if restarts else ''}"
        self._broker.output.write_bytes(b"")
        if not self._broker.is_running:
            self._broker.start()
        try:
            written = self._write(target, data)
            self._restarted(target) if restarts else self._goes_on()
            if is_unreadable and (target.is_read_at_start if restarts else target.is_read_live):
                eventually(lambda: written in self._said(), 5)
            self._put_right(target, written, before)
            self._is_well_again(f"after-{one.number}")
            assert sum(written in line for line in self._said().splitlines()) <= LINES_MAX
        except Exception as error:
            error.add_note(f"{what}\n{self._broker.tail(2000)}")
            self._start_afresh(target, before)
            raise
        return what

    def _data(self, path: str) -> bytes | None:
        try:
            return self._registry.get(path)[0]
        except NoNodeError:
            return None

    def _write(self, target: Target, data: bytes) -> str:
        """Where it went."""
        if self._data(target.path) is not None:
            self._registry.set(target.path, data)
            return target.path
        return self._registry.create(target.path, data, sequence=target.is_sequence)

    def _put_right(self, target: Target, written: str, before: bytes | None) -> None:
        try:
            if before is not None:
                self._registry.set(target.path, before)
            else:
                self._registry.delete(written)
        except NoNodeError:  # A notice is removed by who reads it.
            if before is not None:
                self._registry.create(target.path, before)

    def _goes_on(self) -> None:
        assert_serves(self._broker.address)
        self._kept.assert_unchanged(self._broker.address)
        assert_well(self._broker, errors=True)

    def _restarted(self, target: Target) -> None:
        """It comes up, or says which path keeps it from that."""
        broker = self._broker
        assert_stops(broker)
        broker.launch()
        eventually(lambda: broker.answers() or not broker.is_running)
        if broker.is_running:
            self._goes_on()
            return
        assert_no_bug(self._said())
        assert target.path in self._said(), "the broker ended and did not say why"

    def _is_well_again(self, new_topic: str) -> None:
        broker = self._broker
        if not broker.is_running:
            broker.start()
        create_topic(broker.address, new_topic)
        eventually(lambda: _takes_records(broker.address))
        self._goes_on()
        assert_rests(broker)

    def _start_afresh(self, target: Target, before: bytes | None) -> None:
        self._broker.kill()
        if before is not None and self._data(target.path) != before:
            self._write(target, before)
        elif before is None and self._data(target.path) is not None:
            self._registry.delete(target.path)
        self._broker.start()

    def _said(self) -> str:
        return self._broker.output.read_text(errors="replace")


def _takes_records(address: str) -> bool:
    if topic_metadata(address, VICTIM).error_code:
        return False
    with RawKafka(address) as raw:
        return bool(produce(raw, VICTIM, batch()).error_code == 0)


@contextmanager
def garbled_registry(directory: Path) -> Iterator[GarbledRegistry]:
    server = embedded_server(directory / "zookeeper")
    broker = OttlaProcess(
        directory / "broker",
        {"zookeeper.connect": server.address, "zookeeper.session.timeout.ms": "2000", "log.retention.ms": "-1"},
    )
    try:
        server.start()
        broker.start()
        with BlockingClient(parse_connect_string(server.address), 10_000) as registry:
            yield GarbledRegistry(broker, registry)
        assert_stops(broker)
    finally:
        broker.kill()
        server.kill()


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 5), pytest.param(2, 200, marks=[pytest.mark.long, pytest.mark.timeout(1800)])]
)
def test_broker_withstands_garbage_in_znodes(
    tmp_path: Path, pytestconfig: pytest.Config, seed: int, count: int
) -> None:
    with garbled_registry(tmp_path) as registry:
        do_all(rounds(pytestconfig, seed, count), registry.withstand)
