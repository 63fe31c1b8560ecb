"""`kafka-producer-perf-test`: records per second, MB per second and latencies, in the lines that scripts parse."""

import argparse
import itertools
import random
import string
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ottla.cli.interruption import interruptible
from ottla.cli.kafka.clients import make_tool_target
from ottla.cli.kafka.options import ToolOptions
from ottla.cli.perf_load import MB, Latencies, ProduceLoad
from ottla.config import read_properties
from ottla.errors.tree import OperatorError


def main(arguments: Sequence[str]) -> int:
    given = _parse(arguments)
    properties = read_properties(Path(given.producer_config)) if given.producer_config else {}
    properties |= dict(text.partition("=")[::2] for text in given.producer_props)
    server = properties.pop("bootstrap.servers", None)
    if server is None:
        raise OperatorError("bootstrap.servers is missing: give it in --producer-props or --producer.config")
    target = make_tool_target(server, None, [f"{name}={value}" for name, value in properties.items()])
    with interruptible(), target.producer() as producer:
        load = ProduceLoad(producer, given.topic, _payloads(given), given.throughput, _print_window)
        seconds = load.run(given.num_records)
        _print_total(load.total, seconds)
        if given.print_metrics:
            _print_metrics(producer.metrics())
    if load.total.first_error is not None:
        print(f"{load.total.failed} records failed: {load.total.first_error}", file=sys.stderr)
        return 1
    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    options = ToolOptions("kafka-producer-perf-test", "How fast records are taken.")
    options.value("--topic", required=True)
    options.value("--num-records", type=int, required=True)
    options.value("--throughput", type=float, required=True, help="records per second at most; -1: no limit")
    options.value("--record-size", type=int)
    options.value("--payload-file")
    options.flag("--payload-monotonic")
    options.value("--payload-delimiter", default="\\n")
    options.add_argument("--producer-props", nargs="+", default=[], metavar="NAME=VALUE")
    options.value("--producer.config", help="file with properties of the producer")
    options.flag("--print-metrics")
    given = options.parse(arguments)
    if sum([given.record_size is not None, given.payload_file is not None, given.payload_monotonic]) != 1:
        options.fail("one of the arguments --record-size --payload-file --payload-monotonic is required")
    return given


def _payloads(given: argparse.Namespace) -> Iterator[bytes]:
    if given.payload_monotonic:
        return (str(number).encode() for number in itertools.count())
    if given.payload_file is not None:
        delimiter = given.payload_delimiter.encode().decode("unicode_escape")
        found = [part.encode() for part in Path(given.payload_file).read_text().split(delimiter) if part]
        if not found:
            raise OperatorError(f"{given.payload_file} is empty")
        return (random.choice(found) for _ in itertools.count())
    letters = "".join(random.choices(string.ascii_uppercase, k=given.record_size)).encode()
    return itertools.repeat(letters)


def _print_window(window: Latencies, seconds: float) -> None:
    print(
        f"{window.count} records sent, {window.count / seconds:.1f} records/sec "
        f"({window.bytes / MB / seconds:.2f} MB/sec), {window.average_ms:.1f} ms avg latency, "
        f"{window.max_ms:.1f} ms max latency.",
        flush=True,
    )


def _print_total(total: Latencies, seconds: float) -> None:
    percentiles = ", ".join(
        f"{total.whole_percentile(share)} ms {name}"
        for share, name in ((0.5, "50th"), (0.95, "95th"), (0.99, "99th"), (0.999, "99.9th"))
    )
    print(
        f"{total.count} records sent, {total.count / seconds:.6f} records/sec ({total.bytes / MB / seconds:.2f} "
        f"MB/sec), {total.average_ms:.2f} ms avg latency, {total.max_ms:.2f} ms max latency, {percentiles}."
    )


def _print_metrics(metrics: object) -> None:
    assert isinstance(metrics, dict)
    rows = [(f"{group}:{name}", value) for group, found in metrics.items() for name, value in found.items()]
    width = max((len(name) for name, _ in rows), default=0)
    print(f"\n{'Metric Name':<{width}} Value")
    for name, value in sorted(rows):
        print(f"{name:<{width}} : {value:.3f}" if isinstance(value, float) else f"{name:<{width}} : {value}")
