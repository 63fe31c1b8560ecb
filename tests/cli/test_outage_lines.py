"""Commands whose broker or leader is away say so at once, one line, and another when it is back."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

import ottla as clients
from ottla.testing import EmbeddedBroker
from support.command import Ottla
from support.eventually import eventually


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[EmbeddedBroker]:
    """A broker of this test's own, to be killed."""
    with EmbeddedBroker(process=True, directory=tmp_path) as broker:
        broker.create_topic("t")
        yield broker


def stream(found: "IO[str] | None") -> IO[str]:
    assert found is not None
    return found


def killed_and_back(embedded: EmbeddedBroker, process: "subprocess.Popen[str]", typed: str = "") -> None:
    (broker,) = embedded.brokers
    broker.kill()
    stream(process.stdin).write(typed)
    stream(process.stdin).flush()
    assert stream(process.stderr).readline() == f"ottla: {broker.address}: Connection refused; trying again\n"
    broker.start()
    assert stream(process.stderr).readline() == f"ottla: {broker.address}: connected again\n"


def test_consume_goes_on_when_its_broker_is_back(embedded: EmbeddedBroker) -> None:
    ottla = Ottla(embedded.address)
    ottla("produce", "t", stdin="before\n")
    with ottla.start("consume", "t", "-u") as process:
        assert stream(process.stdout).readline() == "before\n"
        killed_and_back(embedded, process)
        ottla("produce", "t", stdin="after\n")
        assert stream(process.stdout).readline() == "after\n"
        process.terminate()
        assert stream(process.stderr).read() == ""


def test_produce_sends_the_rest_when_its_broker_is_back(embedded: EmbeddedBroker) -> None:
    ottla = Ottla(embedded.address)
    with ottla.start("produce", "t") as process:
        stream(process.stdin).write("before\n")
        stream(process.stdin).flush()
        with clients.Consumer(embedded.address, auto_offset_reset="earliest") as consumer:
            consumer.assign([("t", 0)])
            eventually(lambda: consumer.poll(100))
        killed_and_back(embedded, process, typed="after\n")
        stream(process.stdin).close()
        assert process.wait(30) == 0
        assert stream(process.stderr).read() == ""
    assert ottla("consume", "t", "-e") == "before\nafter\n"


def test_the_partition_is_named_whose_leader_is_away() -> None:
    with EmbeddedBroker(brokers=2, process=True, properties={"zookeeper.session.timeout.ms": 1000}) as embedded:
        embedded.create_topic("t", partitions=2)
        ottla = Ottla(embedded.bootstrap_servers)
        eventually(lambda: ottla.run("topics", "describe", "t").returncode == 0)  # Each broker hears of it in its turn.
        leaders = {row["partition"]: row["leader"] for row in ottla.rows("topics", "describe", "t")}
        (partition,) = (one for one, leader in leaders.items() if leader == 1)
        embedded.brokers[1].kill()
        command = ("consume", "t", "-p", str(partition), "-e", "-X", "default.api.timeout.ms=800")
        eventually(lambda: f"t-{partition} has no leader (on broker 1); waiting for one" in ottla.fails(*command))
        assert "waiting for one" not in ottla.fails(*command, "-q")
