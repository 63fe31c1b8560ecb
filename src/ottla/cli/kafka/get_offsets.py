"""`kafka-get-offsets`: the offset of partitions at a time, the end of the log without one. `topic:partition:offset`."""

import re
import sys
from argparse import Namespace
from collections.abc import Sequence

from ottla.cli.kafka.clients import open_admin
from ottla.cli.kafka.options import ToolOptions, bootstrap_options
from ottla.clients.admin.types import OffsetSpec
from ottla.model import TopicPartition

_TIMES = {
    "latest": OffsetSpec.LATEST,
    "earliest": OffsetSpec.EARLIEST,
    "max-timestamp": OffsetSpec.MAX_TIMESTAMP,
    "earliest-local": OffsetSpec.EARLIEST_LOCAL,
    "latest-tiered": OffsetSpec.LATEST_TIERED,
}


class _Problem(Exception):
    """Ends the tool, with 1."""


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka-get-offsets", "Offsets of partitions at a time.")
    bootstrap_options(options, "--broker-list")
    options.value("--topic", help="a regular expression")
    options.value("--partitions", help="0,2,4")
    options.value("--topic-partitions", help="topic:0-3,other:2,...")
    options.value("--time", default="latest", help="milliseconds since 1970, -1 or latest, -2 or earliest, ...")
    options.value("--offsets", type=int, help="accepted, without effect")
    options.value("--max-wait-ms", type=int, help="accepted, without effect")
    options.flag("--exclude-internal-topics")
    given = options.parse(arguments)
    try:
        _print_offsets(given)
    except _Problem as problem:
        print(f"Error occurred: {problem}", file=sys.stderr)
        return 1
    return 0


def _print_offsets(given: Namespace) -> None:
    time = _time(given.time)
    if given.topic_partitions and (given.topic or given.partitions):
        raise _Problem("--topic-partitions cannot be used with --topic or --partitions")
    with open_admin(given.bootstrap_server, given.command_config) as admin:
        names = list(admin.list_topics(include_internal=not given.exclude_internal_topics))
        described = admin.describe_topics(names).results if names else {}
        partitions = [
            TopicPartition(name, one.partition)
            for name in sorted(described)
            for one in described[name].partitions
            if _is_wanted(given, name, one.partition)
        ]
        if not partitions:
            raise _Problem("Could not match any topic-partitions with the specified filters")
        found = admin.list_offsets(dict.fromkeys(partitions, time))
    for partition in partitions:
        if partition in found.errors:
            print(
                f"Skip getting offsets for topic-partition {partition} due to error: {found.errors[partition]}",
                file=sys.stderr,
            )
        elif found[partition].offset >= 0:
            print(f"{partition.topic}:{partition.partition}:{found[partition].offset}")


def _time(text: str) -> int:
    if text in _TIMES:
        return _TIMES[text]
    try:
        return int(text)
    except ValueError:
        raise _Problem(
            f"Malformed time argument {text}. Please use -1 or latest / -2 or earliest / -3 or max-timestamp / "
            "-4 or earliest-local / -5 or latest-tiered, or a specified long format timestamp"
        ) from None


def _is_wanted(given: Namespace, topic: str, partition: int) -> bool:
    if given.topic_partitions:
        return any(_rule_matches(rule, topic, partition) for rule in given.topic_partitions.split(","))
    if given.topic and not re.fullmatch(given.topic, topic):
        return False
    return not given.partitions or partition in {int(number) for number in given.partitions.split(",")}


def _rule_matches(rule: str, topic: str, partition: int) -> bool:
    """`topic:0`, `topic:0-3` (the end excluded), `topic:1-`, `topic`, `:2`."""
    name, _colon, numbers = rule.partition(":")
    if name and not re.fullmatch(name, topic):
        return False
    first, dash, end = numbers.partition("-")
    if not dash:
        return not first or partition == int(first)
    return int(first or 0) <= partition and (not end or partition < int(end))
