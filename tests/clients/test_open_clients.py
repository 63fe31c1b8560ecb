"""Clients that nobody closes: what was sent arrives when the program ends, threads end, and what is lost is said."""

import asyncio
import gc
import itertools
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

import ottla
from ottla import aio
from ottla.errors import ErrorCode
from ottla.testing import EmbeddedBroker
from support.eventually import eventually
from support.scripted_broker import TOPIC, ScriptedBroker

COUNT = 1000
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with EmbeddedBroker() as broker:
        yield broker.address


@pytest.fixture
def topic(address: str) -> str:
    with ottla.Admin(address) as admin:
        admin.create_topic(name := f"open-{next(_numbers)}", partitions=3)
    return name


def end_offset(address: str, topic: str) -> int:
    with ottla.Consumer(address) as consumer:
        ends = consumer.end_offsets((topic, partition) for partition in consumer.partitions_for(topic))
    return sum(ends.values())


def run(program: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)


SENDING = "import ottla, sys\np = ottla.Producer({address!r})\nfor n in range({count}): p.send({topic!r}, b'%d' % n)\n"
ENDS = {
    "at its last line": ("", 0),
    "with sys.exit": ("sys.exit(3)", 3),
    "with an exception": ("1 / 0", 1),
    "after the producer was deleted": ("del p", 0),
}


@pytest.mark.parametrize("end", ENDS)
def test_everything_sent_arrives_when_the_program_ends(address: str, topic: str, end: str) -> None:
    line, code = ENDS[end]
    # Over a name, which must be looked up after the end has begun: the connection that records take comes late.
    program = SENDING.format(address=address.replace("127.0.0.1", "localhost"), topic=topic, count=COUNT) + line
    done = run(program)
    assert done.returncode == code, done.stderr
    assert "not delivered" not in done.stderr
    assert end_offset(address, topic) == COUNT


def test_threads_of_the_program_send_until_they_end(address: str, topic: str) -> None:
    program = f"""
import ottla, threading
p = ottla.Producer({address!r})
main = threading.main_thread()
def work():
    main.join()
    for n in range({COUNT}): p.send({topic!r}, b"v")
threading.Thread(target=work).start()
"""
    done = run(program)
    assert (done.returncode, done.stderr) == (0, "")
    assert end_offset(address, topic) == COUNT


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_child_of_multiprocessing_sends_what_is_left_too(address: str, topic: str, method: str, tmp_path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"""
import multiprocessing, ottla
def work():
    p = ottla.Producer({address!r}, linger_ms=200)
    for n in range({COUNT}): p.send({topic!r}, b"v")
if __name__ == "__main__":
    child = multiprocessing.get_context({method!r}).Process(target=work)
    child.start()
    child.join()
""")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert end_offset(address, topic) == COUNT


def test_the_end_waits_no_longer_than_its_bound_and_says_how_many_records_are_lost() -> None:
    with ScriptedBroker() as broker:
        program = (
            f"import ottla, ottla.clients.open_clients as o; o.EXIT_SECONDS_MAX = 0.1\n"
            f"p = ottla.Producer({broker.address!r}, linger_ms=60_000, delivery_timeout_ms=120_000)\n"
            f"for n in range(7): p.send({TOPIC!r}, b'v')\n"
            f"p._thread.run(p._core.cluster.close())\n"  # nothing can be sent any more
        )
        done = run(program)
    assert done.returncode == 0
    assert "7 records were not delivered" in done.stderr
    assert "Traceback" not in done.stderr


def test_records_that_a_broker_refused_at_the_end_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    with ScriptedBroker() as broker:
        broker.script.append(ErrorCode.INVALID_RECORD)
        producer = ottla.Producer(broker.address, linger_ms=60_000, delivery_timeout_ms=120_000)
        for _ in range(3):
            producer.send(TOPIC, b"v")
        del producer
        eventually(lambda: "3 records were not delivered" in caplog.text)


@pytest.mark.parametrize("kind", [ottla.Consumer, ottla.Producer, ottla.Admin])
def test_the_threads_of_collected_clients_end(address: str, topic: str, kind: type) -> None:
    before = set(threading.enumerate())
    clients = [kind(address) for _ in range(5)]
    for client in clients:
        if isinstance(client, ottla.Producer):
            client.send(topic, b"v")
        elif isinstance(client, ottla.Consumer):
            client.assign([(topic, 0)])
            client.poll(0)
        else:
            client.list_topics()
    assert set(threading.enumerate()) > before
    del client
    clients.clear()
    eventually(lambda: set(threading.enumerate()) <= before)


def test_a_collected_consumer_leaves_its_group_and_commits_nothing(address: str, topic: str) -> None:
    with ottla.Producer(address) as producer:
        producer.send(topic, b"v").result(20)
    clients = [ottla.Consumer(address, group_id=topic, auto_offset_reset="earliest")]
    clients[0].subscribe([topic])
    assert eventually(lambda: clients[0].poll(100))
    clients.clear()
    with ottla.Admin(address) as admin:
        eventually(lambda: not admin.describe_groups([topic])[topic].members)
        assert not admin.list_group_offsets(topic)


def test_streams_outlive_the_name_of_their_consumer(address: str, topic: str) -> None:
    def made() -> list:
        consumer = ottla.Consumer(address, group_id=topic, auto_offset_reset="earliest")
        return consumer.streams({topic: 1})[topic]

    (stream,) = made()
    gc.collect()
    with ottla.Producer(address) as producer:
        producer.send(topic, b"v").result(20)
    assert next(iter(stream)).value == b"v"
    before = threading.active_count()
    del stream
    gc.collect()
    eventually(lambda: threading.active_count() < before)


FORGETTING = """
import asyncio
from ottla import aio
async def send():
    producer = aio.Producer({address!r}, linger_ms=60_000, delivery_timeout_ms=120_000)
    for _ in range(5): await producer.send({topic!r}, b"v")
    return producer
async def forget():
    await send()
"""


@pytest.mark.parametrize("line", ["asyncio.run(forget())", "producer = asyncio.run(send())", "asyncio.run(send())"])
def test_a_producer_on_asyncio_that_is_not_closed_says_what_is_lost(address: str, topic: str, line: str) -> None:
    done = run(FORGETTING.format(address=address, topic=topic) + line)
    assert done.returncode == 0
    assert "5 records were not delivered" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_producer_on_asyncio_that_is_collected_sends_while_its_loop_runs(address: str, topic: str) -> None:
    async def main() -> None:
        producer = aio.Producer(address, linger_ms=60_000, delivery_timeout_ms=120_000)
        future = await producer.send(topic, b"v")
        del producer
        assert (await future).offset == 0
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others)

    asyncio.run(main())
