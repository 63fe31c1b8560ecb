"""`kafka-console-producer` and `kafka-console-consumer`, beside Kafka 3.9's."""

import signal

import pytest

from ottla.testing import EmbeddedBroker
from support.command import Ottla, run_here
from support.kafka_tools import KafkaTools

KEYS = ("--property", "parse.key=true", "--property", "key.separator=:")
HEADERS = ("--property", "parse.headers=true", "--property", "parse.key=true", "--property", "null.marker=N")


@pytest.fixture(scope="module", autouse=True)
def topic(broker: EmbeddedBroker) -> None:
    """Six records: plain ones, with keys, with headers, of nothing."""
    broker.create_topic("cc-clicks")
    server = ("--bootstrap-server", broker.bootstrap_servers, "--topic", "cc-clicks")
    for options, lines in (
        ((), "one\ntwo\n"),
        (KEYS, "k:v\nk2:v2\n"),
        (HEADERS, "h1:v1,h2:v2\tkey\tvalue\nN\tN\tN\n"),
    ):
        assert run_here("kafka-console-producer", *server, *options, stdin=lines) == (0, "", "")


@pytest.mark.parametrize(
    "arguments",
    [
        "--max-messages 6",
        "--timeout-ms 1000",
        "--max-messages 6 --property print.key=true --property print.timestamp=true --property print.headers=true "
        "--property print.offset=true --property print.partition=true",
        "--max-messages 6 --property print.key=true --property print.value=false --property key.separator=| "
        "--property line.separator=; --property null.literal=NIL",
        "--max-messages 2 --formatter org.apache.kafka.tools.consumer.NoOpMessageFormatter",
        "--max-messages 2 --partition 0",
    ],
)
def test_prints_what_kafka_prints(side_by_side, arguments: str) -> None:  # type: ignore[no-untyped-def]
    side_by_side("kafka-console-consumer", "--topic", "cc-clicks", "--from-beginning", *arguments.split())


def test_partition_and_offset(side_by_side) -> None:  # type: ignore[no-untyped-def]
    place = ("--topic", "cc-clicks", "--partition", "0", "--offset", "2", "--max-messages", "2")
    assert side_by_side("kafka-console-consumer", *place) == "v\nv2\n"


def test_group_goes_on_after_the_last_record_that_was_printed(java: KafkaTools, broker: EmbeddedBroker) -> None:
    place = ("--bootstrap-server", broker.bootstrap_servers, "--topic", "cc-clicks", "--from-beginning")
    counted = (*place, "--group", "cc-group", "--max-messages", "2")
    assert run_here("kafka-console-consumer", *counted).stdout == "one\ntwo\n"
    assert java.run("kafka-console-consumer", *counted).stdout == "v\nv2\n"
    assert run_here("kafka-console-consumer", *counted).stdout == "value\nnull\n"


def test_topics_by_expression(side_by_side) -> None:  # type: ignore[no-untyped-def]
    side_by_side("kafka-console-consumer", "--include", "cc-cli.*", "--from-beginning", "--max-messages", "3")


def test_what_kafkas_producer_wrote_is_what_ours_wrote(java: KafkaTools, broker: EmbeddedBroker) -> None:
    broker.create_topic("cc-theirs")
    server = ("--bootstrap-server", broker.bootstrap_servers, "--topic", "cc-theirs")
    for options, lines in (((), "one\ntwo\n"), (KEYS, "k:v\nk2:v2\n"), (HEADERS, "h1:v1,h2:v2\tkey\tvalue\nN\tN\tN\n")):
        java.run("kafka-console-producer", *server, *options, stdin=lines)
    shown = ("--from-beginning", "--max-messages", "6", "--property", "print.key=true", "--property",
             "print.headers=true")  # fmt: skip
    theirs = run_here("kafka-console-consumer", *server, *shown)
    ours = run_here("kafka-console-consumer", *server[:3], "cc-clicks", *shown)
    assert ours.stdout == theirs.stdout


def test_line_without_its_separator_ends_the_producer(broker: EmbeddedBroker) -> None:
    server = ("--bootstrap-server", broker.bootstrap_servers, "--topic", "cc-clicks")
    done = run_here("kafka-console-producer", *server, "--property", "parse.key=true", stdin="nokey\n")
    assert done.code == 1
    assert "No key separator found on line number 1: 'nokey'" in done.stderr


def test_consumer_follows_and_ends_with_a_signal(ottla: Ottla, broker: EmbeddedBroker) -> None:
    server = ("--bootstrap-server", broker.bootstrap_servers, "--topic", "cc-clicks")
    with ottla.start("kafka-console-consumer", *server, "--from-beginning") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first, *_others = (process.stdout.readline() for _ in range(6))
        assert first == "one\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr.read() == "Processed a total of 6 messages\n"


def test_zookeeper_form_of_the_manual(broker: EmbeddedBroker) -> None:
    place = ("--zookeeper", broker.zookeeper_connect, "--topic", "cc-clicks", "--from-beginning")
    assert run_here("kafka-console-consumer", *place, "--max-messages", "2") == (
        0,
        "one\ntwo\n",
        "Consumed 2 messages\n",
    )


def test_an_offset_that_is_none_is_refused(broker: EmbeddedBroker) -> None:
    server = ("--bootstrap-server", broker.bootstrap_servers, "--topic", "cc-clicks", "--partition", "0")
    done = run_here("kafka-console-consumer", *server, "--offset", "soon")
    assert done.code == 1
    assert "The provided offset value 'soon' is incorrect" in done.stderr
