"""`python -m demo [--events N] [--directory PATH]`: the steps of the demo in their order; `make demo` calls it."""

import argparse
import contextlib
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ottla
from demo import report
from demo.activity import Event, activity, end_of_day
from demo.feed import Feed, send
from ottla.testing import EmbeddedBroker

TOPICS = {"activity": 4, "page-counts": 2, "sessions": 2}
PROGRESS_SECONDS = 1.0


class Steps:
    """Lines that say what happens and how long the last thing took."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def say(self, text: str) -> None:
        print(f"\033[1m{time.monotonic() - self._start:6.1f} s\033[0m  {text}", flush=True)


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="demo", description="A web shop's activity, from browsers to tables.")
    parser.add_argument("--events", type=int, default=100_000, help="how many events (100,000)")
    parser.add_argument("--directory", type=Path, default=Path("data/demo"), help="where everything goes (data/demo)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    given = parse_arguments(arguments)
    directory = given.directory.resolve()
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    steps = Steps()
    with EmbeddedBroker(process=True, directory=directory / "broker") as broker:
        steps.say(f"a broker listens on {broker.address}")
        for topic, partitions in TOPICS.items():
            broker.create_topic(topic, partitions)
        events = activity(given.events)
        steps.say(
            f"{len(events):,} events of {len({event.visitor for event in events}):,} visitors are about to happen"
        )
        run_jobs(steps, broker.bootstrap_servers, directory, events)
        load_raw(steps, broker.bootstrap_servers, directory)
        print_results(broker.bootstrap_servers, directory, len(events))


def run_jobs(steps: Steps, servers: str, directory: Path, events: Sequence[Event]) -> None:
    from demo.jobs import Jobs
    from demo.session import start_session

    spark = start_session(directory)
    try:
        steps.say(f"Spark {spark.version} is up")
        queries = Jobs(spark, servers, directory, len(events)).start()
        steps.say("two queries run: page counts in windows of 5 minutes, sessions with pauses of 10")
        feed(steps, servers, events)
        for query in queries:
            query.processAllAvailable()
            query.stop()
        steps.say("all windows are closed: " + "; ".join(map(describe, queries)))
    finally:
        spark.stop()


def feed(steps: Steps, servers: str, events: Sequence[Event]) -> None:
    """Two hours of events in some seconds, then one that closes all windows."""
    collector = Feed(servers, "activity", events)
    collector.start()
    while collector.is_alive():
        collector.join(PROGRESS_SECONDS * 4)
        steps.say(f"sent {collector.sent:,} of {len(events):,} events")
    collector.finish()
    with ottla.Producer(servers) as producer:
        send(producer, "activity", [end_of_day()])


def describe(query: Any) -> str:
    batches = [progress for progress in query.recentProgress if progress.numInputRows]
    return f"{query.name} took {len(batches)} micro-batches"


def load_raw(steps: Steps, servers: str, directory: Path) -> None:
    """The raw events to Parquet, by the command that a cron job would run."""
    command = ["load", "activity", "--to", f"parquet:{directory / 'activity.parquet'}", "--bootstrap-server", servers]
    steps.say("$ ottla " + " ".join(command))
    subprocess.run([sys.executable, "-m", "ottla", *command], check=True)


def print_results(servers: str, directory: Path, sent: int) -> None:
    counts = report.read_counts(directory / "page-counts.delta")
    counted = sum(counts.views.values())
    picture = directory / "views.svg"
    picture.write_text(report.draw(counts))
    published = sum(row["views"] for row in report.read_topic(servers, "page-counts"))
    print(
        "", *report.chart_lines(counts), "", *report.session_lines(report.read_topic(servers, "sessions")), sep="\n  "
    )
    print()
    print(f"  {sent:,} events sent, {counted:,} counted, {sent - counted:,} came after their window was closed")
    print(f"  topic page-counts: {published:,} views; Delta table: {counted:,}")
    raw = report.parquet_rows(directory / "activity.parquet")
    print(f"  Parquet: {raw:,} raw events, with the one that was sent last to close all windows")
    print(f"  picture: {picture}")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
