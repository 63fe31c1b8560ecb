"""`kafka-console-consumer`: writes records to standard output until it is stopped or has as many as it should."""

import random
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ottla.cli.interruption import interruptible
from ottla.cli.kafka.clients import brokers_in_zookeeper, make_tool_target
from ottla.cli.kafka.message_formatter import find_formatter
from ottla.cli.kafka.options import ToolOptions
from ottla.cli.uncommitted_records import give_back
from ottla.config import read_properties

if TYPE_CHECKING:
    from ottla import Consumer
    from ottla.clients.consumer.record import ConsumerRecord

_POLL_MS = 200


def main(arguments: Sequence[str]) -> int:
    given = _parse(arguments)
    server = given.bootstrap_server or brokers_in_zookeeper(given.zookeeper)
    target = make_tool_target(server, given.consumer_config, given.consumer_property)
    properties = read_properties(Path(given.formatter_config)) if given.formatter_config else {}
    properties |= dict(map(_formatter_property, given.property))
    write = find_formatter(given.formatter, properties, given.key_deserializer, given.value_deserializer)
    written = 0
    try:
        with interruptible(), target.consumer(**_config(given, target.properties)) as consumer:
            for record in _records(consumer, given):
                written += 1
                sys.stdout.buffer.write(write(record))
            sys.stdout.buffer.flush()
    finally:
        said = f"Consumed {written} messages" if given.zookeeper else f"Processed a total of {written} messages"
        print(said, file=sys.stderr)
    return 0


def _parse(arguments: Sequence[str]) -> Namespace:
    options = ToolOptions("kafka-console-consumer", "Records to standard output.")
    options.value("--bootstrap-server")
    options.value("--zookeeper", help="host:port/chroot, as the manual's examples have it")
    options.value("--topic")
    options.value("--include", "--whitelist", help="topics, as a regular expression")
    options.value("--group")
    options.value("--partition", type=int)
    options.value("--offset", default="latest", help="earliest, latest or a number; with --partition")
    options.flag("--from-beginning")
    options.value("--max-messages", type=int, default=-1)
    options.value("--timeout-ms", type=int, help="end when no record has come for so long")
    options.value("--formatter", help="DefaultMessageFormatter or NoOpMessageFormatter")
    options.values("--property", help="of the formatter: print.key=true ...")
    options.value("--formatter-config", help="file with properties of the formatter")
    options.value("--key-deserializer")
    options.value("--value-deserializer")
    options.values("--consumer-property", help="name=value")
    options.value("--consumer.config", help="file with properties of the consumer")
    options.value("--isolation-level", default="read_uncommitted")
    for flag in ("--skip-message-on-error", "--enable-systest-events", "--delete-consumer-offsets"):
        options.flag(flag, help="accepted, without effect")
    given = options.parse(arguments)
    if not given.bootstrap_server and not given.zookeeper:
        options.fail('Missing required argument "[bootstrap-server]"')
    if (given.topic is None) == (given.include is None):
        options.fail("Exactly one of --include/--topic is required. ")
    if given.partition is not None and given.topic is None:
        options.fail("The topic is required when partition is specified.")
    if given.offset != "latest" and given.partition is None:
        options.fail("The partition is required when offset is specified.")
    if given.offset not in ("earliest", "latest") and not given.offset.isdecimal():
        options.fail(
            f"The provided offset value '{given.offset}' is incorrect. "
            "Valid values are 'earliest', 'latest', or a non-negative long."
        )
    return given


def _formatter_property(text: str) -> tuple[str, str]:
    """name=value, where blanks in the value mean something: `key.separator= `."""
    name, _equals, value = text.partition("=")
    return name.strip(), value


def _config(given: Namespace, properties: dict[str, str]) -> dict[str, Any]:
    config: dict[str, Any] = {"isolation_level": given.isolation_level}
    if "auto.offset.reset" not in properties:
        config["auto_offset_reset"] = "earliest" if given.from_beginning else "latest"
    if given.group:
        config["group_id"] = given.group
    elif given.partition is None and "group.id" not in properties:
        config |= {"group_id": f"console-consumer-{random.randrange(100_000)}", "enable_auto_commit": False}
    elif given.partition is not None:
        config["enable_auto_commit"] = False
    return config


def _records(consumer: "Consumer", given: Namespace) -> "Iterator[ConsumerRecord]":
    _begin(consumer, given)
    left = given.max_messages
    waited_since = time.monotonic()
    while left != 0:
        records = consumer.poll(_POLL_MS if given.timeout_ms is None else min(_POLL_MS, given.timeout_ms))
        for index, record in enumerate(records):
            yield record
            left -= 1
            if left == 0:
                give_back(consumer, records[index + 1 :])
                return
        sys.stdout.buffer.flush()
        if records:
            waited_since = time.monotonic()
        elif given.timeout_ms is not None and time.monotonic() - waited_since >= given.timeout_ms / 1000:
            print("Error processing message, terminating consumer process: "
                  "org.apache.kafka.common.errors.TimeoutException", file=sys.stderr)  # fmt: skip
            return


def _begin(consumer: "Consumer", given: Namespace) -> None:
    if given.partition is None:
        if given.topic is not None:
            consumer.subscribe([given.topic])
        else:
            consumer.subscribe(pattern=given.include)
        return
    partition = (given.topic, given.partition)
    consumer.assign([partition])
    if given.from_beginning or given.offset == "earliest":
        consumer.seek_to_beginning([partition])
    elif given.offset == "latest":
        consumer.seek_to_end([partition])
    else:
        consumer.seek(partition, int(given.offset))
