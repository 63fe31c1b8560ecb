"""A partition with a second leader epoch: behaviours 11, 35, 36 and 41, on Ottla and on Kafka.

A lone broker that starts again keeps its epoch, since nobody else led meanwhile. So the test raises the epoch in
ZooKeeper while the broker is down, as a controller would have done.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ottla.errors import ErrorCode
from support.broker import BrokerProcess, KafkaProcess, OttlaProcess, running
from support.raw_kafka import RawKafka, await_leaders, create_topic, topic_metadata
from support.raw_requests import EARLIEST, LATEST, batch, end_of_epoch, fetch, list_offsets, produce
from support.raw_zookeeper import RawClient
from support.zookeepers import ZooKeeperProcess, embedded_server

TOPIC = "epochs"
STATE_PATH = f"/brokers/topics/{TOPIC}/partitions/0/state"
SECOND_EPOCH = 4


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("epochs")


@pytest.fixture(scope="module")
def zookeeper(directory: Path) -> Iterator[ZooKeeperProcess]:
    server = embedded_server(directory / "zookeeper", tickTime="500")
    server.start()
    yield server
    server.kill()


@pytest.fixture(params=[OttlaProcess, pytest.param(KafkaProcess, marks=pytest.mark.long)], scope="module")
def broker(request: pytest.FixtureRequest, zookeeper: ZooKeeperProcess, directory: Path) -> Iterator[BrokerProcess]:
    """Offsets 0 to 2 are of epoch 0, 3 and 4 of the second one."""
    name = request.param.__name__
    connect = f"{zookeeper.address}/{name}"
    client = RawClient(zookeeper.port)
    client.create(f"/{name}")
    with running(request.param(directory / name, {"zookeeper.connect": connect})) as broker:
        create_topic(broker.address, TOPIC)
        with RawKafka(broker.address) as raw:
            produce(raw, TOPIC, batch(3))
        broker.stop()
        raise_epoch(client, f"/{name}{STATE_PATH}")
        broker.start()
        await_leaders(broker.address, TOPIC)
        with RawKafka(broker.address) as raw:
            assert produce(raw, TOPIC, batch(2)).base_offset == 3
        yield broker
    client.close()


def raise_epoch(client: RawClient, path: str) -> None:
    state = json.loads(client.get(path).body.buffer() or b"")
    state["leader_epoch"] = SECOND_EPOCH
    assert client.set(path, json.dumps(state).encode()).error == 0


@pytest.fixture
def raw(broker: BrokerProcess) -> Iterator[RawKafka]:
    with RawKafka(broker.address) as connection:
        yield connection


@pytest.fixture
def epoch(broker: BrokerProcess) -> int:
    found: int = topic_metadata(broker.address, TOPIC).partitions[0].leader_epoch
    return found


def test_11_epoch_rises_with_every_change_of_leader(epoch: int):
    assert epoch >= SECOND_EPOCH


def test_35_epoch_before_is_fenced(raw: RawKafka, epoch: int):
    assert fetch(raw, TOPIC, 0, current_leader_epoch=0).error_code == ErrorCode.FENCED_LEADER_EPOCH
    assert fetch(raw, TOPIC, 0, current_leader_epoch=epoch).error_code == ErrorCode.NONE
    assert list_offsets(raw, TOPIC, LATEST, current_leader_epoch=0).error_code == ErrorCode.FENCED_LEADER_EPOCH
    assert end_of_epoch(raw, TOPIC, 0, current_leader_epoch=0).error_code == ErrorCode.FENCED_LEADER_EPOCH


def test_36_fetcher_that_went_further_in_an_old_epoch_is_told_where_it_ended(raw: RawKafka):
    data = fetch(raw, TOPIC, 4, last_fetched_epoch=0)
    assert (data.error_code, len(data.records)) == (ErrorCode.NONE, 0)
    assert (data.diverging_epoch.epoch, data.diverging_epoch.end_offset) == (0, 3)
    assert len(fetch(raw, TOPIC, 3, last_fetched_epoch=0).records) > 0


def test_41_old_epoch_ends_where_the_next_one_begins(raw: RawKafka, epoch: int):
    answer = end_of_epoch(raw, TOPIC, 0)
    assert (answer.leader_epoch, answer.end_offset) == (0, 3)
    answer = end_of_epoch(raw, TOPIC, epoch)
    assert (answer.leader_epoch, answer.end_offset) == (epoch, 5)
    answer = end_of_epoch(raw, TOPIC, epoch + 1)
    assert (answer.leader_epoch, answer.end_offset) == (-1, -1)


def test_39_offsets_come_with_the_epoch_of_their_record(raw: RawKafka, epoch: int):
    assert list_offsets(raw, TOPIC, LATEST).leader_epoch == epoch
    assert list_offsets(raw, TOPIC, EARLIEST).leader_epoch == 0
