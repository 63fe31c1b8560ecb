"""EmbeddedBroker: comes up on free ports, keeps port and data when started again, leaves nothing behind."""

import asyncio
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ottla
from ottla.errors import ConfigError, OttlaError
from ottla.testing import EmbeddedBroker
from ottla.testing.running_broker import BrokerDidNotStartError, ProcessBroker

BOTH_WAYS = pytest.mark.parametrize("process", [False, True], ids=["thread", "process"])


def listens(address: str) -> bool:
    host, port = address.split(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0


@BOTH_WAYS
def test_broker_is_there_for_the_block_and_gone_after_it(process: bool) -> None:
    before = set(threading.enumerate())
    with EmbeddedBroker(process=process) as broker:
        assert listens(broker.address)
        assert listens(broker.zookeeper_connect)
        one = broker.brokers[0]
        directory = Path(one.properties["log.dirs"]).parent
        assert directory.exists()
    assert not one.is_running
    assert set(threading.enumerate()) <= before
    assert not directory.exists()


def test_async_with_starts_and_stops_without_blocking_the_loop() -> None:
    async def main() -> None:
        async with EmbeddedBroker() as broker:
            ticks = asyncio.create_task(asyncio.sleep(0))
            await ticks
            assert listens(broker.address)

    before = set(threading.enumerate())
    asyncio.run(main())
    assert set(threading.enumerate()) <= before


@BOTH_WAYS
def test_port_and_topics_survive_a_restart(process: bool) -> None:
    with EmbeddedBroker(process=process) as broker:
        address = broker.address
        broker.create_topic("clicks", partitions=3)
        broker.brokers[0].stop()
        assert not broker.brokers[0].is_running
        broker.brokers[0].start()
        assert broker.address == address
        with ottla.Admin(broker.bootstrap_servers) as admin:
            assert len(admin.describe_topics(["clicks"])["clicks"].partitions) == 3


def test_broker_that_is_a_process_can_be_killed_and_started_again() -> None:
    with EmbeddedBroker(process=True) as broker:
        one = broker.brokers[0]
        assert isinstance(one, ProcessBroker)
        one.kill()
        assert not one.is_running
        one.start()
        assert listens(broker.address)


def test_broker_in_this_process_cannot_be_killed() -> None:
    with EmbeddedBroker() as broker, pytest.raises(OttlaError, match="process=True"):
        broker.brokers[0].kill()


def test_process_ends_cleanly_when_the_pipe_from_its_parent_closes() -> None:
    with EmbeddedBroker(process=True) as broker:
        one = broker.brokers[0]
        assert isinstance(one, ProcessBroker)
        process = one._process
        assert process is not None
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0


@BOTH_WAYS
def test_what_keeps_the_broker_from_starting_is_raised_with_nothing_left_running(process: bool) -> None:
    before = set(threading.enumerate())
    broker = EmbeddedBroker(process=process, properties={"num.partitions": "many"})
    with pytest.raises((OttlaError, BrokerDidNotStartError), match=r"num\.partitions"):
        broker.start()
    assert broker.brokers == []
    assert set(threading.enumerate()) <= before


def test_given_directory_keeps_the_data(tmp_path: Path) -> None:
    with EmbeddedBroker(directory=tmp_path) as broker:
        broker.create_topic("clicks")
    assert (tmp_path / "logs-0" / "clicks-0").exists()
    with EmbeddedBroker(directory=tmp_path) as broker, ottla.Admin(broker.bootstrap_servers) as admin:
        assert "clicks" in admin.list_topics()


def test_properties_reach_the_broker() -> None:
    with EmbeddedBroker(properties={"auto.create.topics.enable": False, "num.partitions": 7}) as broker:
        broker.create_topic("clicks", partitions=-1, replication_factor=-1)
        with ottla.Admin(broker.bootstrap_servers) as admin:
            assert len(admin.describe_topics(["clicks"])["clicks"].partitions) == 7


def test_an_unknown_property_is_warned_about_with_what_was_meant() -> None:
    with pytest.warns(UserWarning, match=r"unknown key num\.partitons: did you mean num\.partitions\?") as warned:
        EmbeddedBroker(properties={"num.partitons": 7, "num.partitions": 3})
    assert [warning.filename for warning in warned] == [__file__]


@BOTH_WAYS
def test_a_quorum_of_kafkas_own_is_refused(process: bool) -> None:
    with pytest.raises((OttlaError, BrokerDidNotStartError), match="Kafka's own quorum"):
        EmbeddedBroker(process=process, properties={"process.roles": "broker,controller"}).start()


def test_several_brokers_form_a_cluster() -> None:
    with EmbeddedBroker(brokers=3) as broker:
        broker.create_topic("clicks", partitions=1, replication_factor=3)
        with ottla.Admin(broker.bootstrap_servers) as admin:
            assert len(admin.describe_cluster().brokers) == 3
            assert len(admin.describe_topics(["clicks"])["clicks"].partitions[0].replicas) == 3
        with ottla.Producer(broker.bootstrap_servers) as producer:
            assert producer.send("clicks", b"value").result(30).offset == 0


def test_a_cluster_of_no_brokers_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one broker"):
        EmbeddedBroker(brokers=0)


def test_brokers_of_several_threads_know_nothing_of_each_other() -> None:
    def run(number: int) -> int:
        with EmbeddedBroker() as broker, ottla.Producer(broker.address) as producer:
            broker.create_topic("same-name")
            return producer.send("same-name", b"%d" % number).result(30).offset

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(run, range(3))) == [0, 0, 0]
