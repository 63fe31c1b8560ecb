"""Calls that cannot be meant: each is refused at once with a sentence, and the client goes on as if nothing was."""

import multiprocessing
import os
import subprocess
import sys
import threading

import pyarrow as pa
import pytest

import ottla
from ottla.clients.errors import ClientClosedError, IllegalStateError, SerializationError
from ottla.errors import ConfigError
from ottla.errors.kafka import InvalidTopicError, UnknownTopicOrPartitionError
from ottla.testing import EmbeddedBroker


@pytest.fixture(scope="module")
def address():
    with EmbeddedBroker() as broker:
        broker.create_topic("t", partitions=2)
        yield broker.address


@pytest.fixture
def producer(address):
    with ottla.Producer(address) as client:
        yield client


@pytest.mark.parametrize(
    ("arguments", "options", "error", "text"),
    [
        ((None, b"v"), {}, InvalidTopicError, "a str, not None"),
        ((b"t", b"v"), {}, InvalidTopicError, "a str, not b't'"),
        (("t", 5), {}, SerializationError, "bytes or str expected, not int"),
        (("t", b"v"), {"key": 5}, SerializationError, "bytes or str expected, not int"),
        (("t", b"v"), {"partition": "0"}, UnknownTopicOrPartitionError, "partitions 0 to 1, not '0'"),
        (("t", b"v"), {"partition": -1}, UnknownTopicOrPartitionError, "partitions 0 to 1, not -1"),
        (("t", b"v"), {"timestamp_ms": 1.5}, SerializationError, "whole number of milliseconds, not 1.5"),
        (("t", b"v"), {"timestamp_ms": -5}, SerializationError, "Invalid timestamp: -5"),
        (("t", b"v"), {"timestamp_ms": 2**70}, SerializationError, "Invalid timestamp"),
        (("t", b"v"), {"headers": "abc"}, SerializationError, "headers are pairs"),
        (("t", b"v"), {"headers": [("a", 1)]}, SerializationError, "bytes or str expected, not int"),
        (("t", b"v"), {"headers": [(b"a", b"1")]}, SerializationError, "b'a' is no str"),
    ],
)
def test_a_record_that_cannot_be_is_refused_and_the_next_one_sent(producer, arguments, options, error, text):
    with pytest.raises(error, match=text):
        producer.send(*arguments, **options)
    assert producer.send("t", b"v").result(20).offset >= 0


def test_what_an_interceptor_or_a_serializer_gives_is_looked_at(address):
    class Numbers:
        def on_send(self, record):
            return record._replace(value=5)

    with ottla.Producer(address, interceptor_classes=[Numbers()]) as producer, pytest.raises(SerializationError):
        producer.send("t", b"v")
    with ottla.Producer(address, value_serializer=lambda value: None) as producer:
        assert producer.send("t", "gone").result(20).offset >= 0


def test_many_values_may_come_from_anywhere(producer):
    assert len(producer.send_many("t", (b"%d" % number for number in range(5)), keys=iter([b"k"] * 5))) == 5
    assert producer.send_many("t", []).result(20) == []
    with pytest.raises(SerializationError, match="RecordBatch or Table is expected, not list"):
        producer.send_arrow("t", [1])
    assert producer.send_arrow("t", pa.table({"value": pa.array([], pa.binary())})).result(20) == []


@pytest.mark.parametrize(
    ("servers", "text"), [(9092, "not 9092"), ([("h", 1)], "not \\[\\('h', 1\\)\\]"), ("a:b:c", "Invalid url")]
)
def test_what_is_no_address_is_refused(servers, text):
    with pytest.raises(ConfigError, match=text):
        ottla.Producer(servers)


@pytest.mark.parametrize("value", [[1], {}, object(), b"5", 1.5])
def test_a_value_of_another_type_is_refused(value):
    with pytest.raises(ConfigError, match=r"linger\.ms"):
        ottla.Producer("localhost:9092", linger_ms=value)


@pytest.mark.parametrize("partitions", ["t", [("t",)], [("t", -1)], [("t", "0")], [(b"t", 0)]])
def test_what_is_no_partition_is_refused(address, partitions):
    with ottla.Consumer(address) as consumer, pytest.raises(IllegalStateError, match="a pair like"):
        consumer.assign(partitions)


@pytest.mark.parametrize("client", [ottla.Producer, ottla.Consumer, ottla.Admin])
def test_a_closed_client_says_so(address, client):
    closed = client(address)
    closed.close()
    closed.close()
    calls = {
        ottla.Producer: lambda: [lambda: closed.send("t", b"v"), lambda: closed.send_many("t", [b"v"]), closed.flush],
        ottla.Consumer: lambda: [closed.poll, lambda: closed.assign([("t", 0)])],
        ottla.Admin: lambda: [closed.list_topics],
    }[client]()
    for call in [*calls, closed.__enter__]:
        with pytest.raises(ClientClosedError):
            call()


def test_closing_a_consumer_ends_the_wait_of_another_thread(address):
    def closed_soon(name):
        consumer = ottla.Consumer(address, group_id=name)
        consumer.subscribe(["t"])
        consumer.seek_to_end()
        timer = threading.Timer(0.2, consumer.close)
        timer.start()
        return consumer, timer

    consumer, timer = closed_soon("iterating")
    assert [record.value for record in consumer if record.value == b"never"] == []
    timer.join()
    consumer, timer = closed_soon("polling")
    with pytest.raises(ClientClosedError):
        while True:
            consumer.poll(timeout_ms=2**31)
    timer.join()


def test_one_producer_serves_many_threads(address, producer):
    futures = []

    def send():
        futures.extend(producer.send("t", b"v", partition=0) for _ in range(200))

    threads = [threading.Thread(target=send) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    offsets = [future.result(20).offset for future in futures]
    assert len(set(offsets)) == 1000


def _send_in_child(producer, address, outcomes):
    try:
        producer.send("t", b"v")
    except ClientClosedError as error:
        outcomes.put(str(error))
    with ottla.Producer(address) as own:
        outcomes.put(own.send("t", b"v").result(20).offset >= 0)


def test_a_client_does_not_outlive_a_fork_and_a_new_one_works_there(address, producer):
    producer.send("t", b"v").result(20)
    context = multiprocessing.get_context("fork")
    outcomes = context.Queue()
    child = context.Process(target=_send_in_child, args=(producer, address, outcomes))
    child.start()
    assert "another process" in outcomes.get(timeout=30)
    assert outcomes.get(timeout=30) is True
    child.join(30)
    assert child.exitcode == 0
    assert producer.send("t", b"v").result(20).offset >= 0


def test_a_program_that_forgets_to_close_ends_all_the_same(address):
    program = (
        f"import ottla; p = ottla.Producer({address!r}); p.send('t', b'v').result(20);"
        f"c = ottla.Consumer({address!r}, group_id='g'); c.subscribe(['t']); c.poll(100); ottla.Admin({address!r})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=False, env=os.environ)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_call_that_needs_a_package_says_how_to_get_it(address):
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import asyncio, ottla; from ottla import aio\n"
        "from ottla.clients.optional_packages import MissingPackageError\n"
        "class Rows: schema = None\n"
        "async def poll():\n"
        f"    async with aio.Consumer({address!r}) as consumer: await consumer.poll_arrow()\n"
        "async def send():\n"
        f"    async with aio.Producer({address!r}) as producer: await producer.send_arrow('t', Rows())\n"
        f"with ottla.Consumer({address!r}) as consumer, ottla.Producer({address!r}) as producer:\n"
        "    for call in (consumer.poll_arrow, lambda: producer.send_arrow('t', Rows()),\n"
        "                 lambda: asyncio.run(poll()), lambda: asyncio.run(send())):\n"
        "        try: call()\n"
        "        except MissingPackageError as error: print(error, isinstance(error, ImportError))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    said = [f"{call} needs pyarrow: pip install 'ottla[arrow]' True" for call in ("poll_arrow", "send_arrow")]
    assert done.stdout.splitlines() == said * 2
