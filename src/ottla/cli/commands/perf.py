"""`ottla perf produce|consume|latency`."""

import itertools
import os

import click

from ottla.cli.connection import Target, connected
from ottla.cli.interruption import interruptible
from ottla.cli.output import print_fields
from ottla.errors.tree import OttlaError

_BAR_SECONDS = 0.2


class TooFewRecordsError(OttlaError):
    """A topic had fewer records than were to be read."""


@click.group()
def perf() -> None:
    """How fast a cluster takes and gives records, measured from here."""


@perf.command()
@click.argument("topic")
@click.option("-n", "--records", type=click.IntRange(1), default=100_000, show_default=True, help="How many.")
@click.option("-s", "--size", type=click.IntRange(0), default=100, show_default=True, help="Bytes of a record.")
@click.option("--rate", type=float, default=-1, help="Records per second at most.")
@connected
def produce(target: Target, topic: str, records: int, size: int, rate: float) -> None:
    """Send records and tell rate and latency."""
    from ottla.cli.perf_load import MB, ProduceLoad
    from ottla.cli.progress import progress
    from ottla.cli.record_sending import NotDeliveredError

    payload = os.urandom(size)
    with interruptible(), target.producer() as producer, progress(records, "sending") as bar:
        load = ProduceLoad(producer, topic, itertools.repeat(payload), rate, lambda window, _: bar.update(window.count))
        load.window_seconds = _BAR_SECONDS
        seconds = load.run(records)
        bar.update(load.window.count)
    done = load.total
    print_fields(
        target.format,
        {
            "records": done.count,
            "records_per_second": done.count / seconds,
            "mb_per_second": done.bytes / MB / seconds,
            "latency_ms_average": done.average_ms,
            "latency_ms_50": done.percentile(0.5),
            "latency_ms_95": done.percentile(0.95),
            "latency_ms_99": done.percentile(0.99),
            "latency_ms_max": done.max_ms,
        },
    )
    if done.first_error is not None:
        raise NotDeliveredError(f"{done.failed} records were not delivered: {done.first_error}")


@perf.command()
@click.argument("topic")
@click.option("-n", "--records", type=click.IntRange(1), default=100_000, show_default=True, help="How many.")
@click.option("--timeout", type=float, default=10.0, show_default=True, help="Seconds without a record that end it.")
@connected
def consume(target: Target, topic: str, records: int, timeout: float) -> None:
    """Read records from the beginning of a topic and tell the rate. Ends with 1 when there were fewer."""
    from ottla.cli.partition_names import resolve_partitions
    from ottla.cli.perf_load import MB, ConsumeLoad
    from ottla.cli.progress import progress

    with target.admin() as admin:
        partitions = resolve_partitions(admin, [topic])
    with interruptible(), target.consumer(enable_auto_commit=False) as consumer, progress(records, "reading") as bar:
        consumer.assign(partitions)
        consumer.seek_to_beginning(partitions)
        load = ConsumeLoad(consumer, is_exact=True)
        load.run(records, timeout, lambda load: bar.update(load.last_count))
    print_fields(
        target.format,
        {
            "records": load.messages,
            "seconds": load.seconds,
            "records_per_second": load.messages / load.seconds,
            "mb_per_second": load.bytes / MB / load.seconds,
        },
    )
    if load.messages < records:
        raise TooFewRecordsError(f"only {load.messages} records came within {timeout} seconds of the last one")


@perf.command()
@click.argument("topic")
@click.option("-n", "--records", type=click.IntRange(1), default=1000, show_default=True, help="How many.")
@click.option("-s", "--size", type=click.IntRange(0), default=100, show_default=True, help="Bytes of a record.")
@connected
def latency(target: Target, topic: str, records: int, size: int) -> None:
    """From the producer to a consumer, one record at a time."""
    from ottla.cli.partition_names import resolve_partitions
    from ottla.cli.perf_load import Latencies, round_trips
    from ottla.cli.progress import progress

    with target.admin() as admin:
        partitions = resolve_partitions(admin, [topic])
    measured = Latencies()
    with interruptible(), target.producer(linger_ms=0) as producer, progress(records, "round trips") as bar, \
            target.consumer(enable_auto_commit=False, fetch_min_bytes=1) as consumer:  # fmt: skip
        consumer.assign(partitions)
        consumer.seek_to_end(partitions)
        for partition in partitions:
            consumer.position(partition)
        for milliseconds in round_trips(producer, consumer, topic, records, size):
            measured.note(milliseconds, size)
            bar.update(1)
    print_fields(
        target.format,
        {
            "records": measured.count,
            "latency_ms_average": measured.average_ms,
            "latency_ms_50": measured.percentile(0.5),
            "latency_ms_99": measured.percentile(0.99),
            "latency_ms_999": measured.percentile(0.999),
            "latency_ms_max": measured.max_ms,
        },
    )
