"""`kafka-consumer-perf-test`: one line of CSV about how fast records are given."""

import random
import sys
import time
from collections.abc import Sequence
from datetime import datetime

from ottla.cli.interruption import interruptible
from ottla.cli.kafka.clients import make_tool_target
from ottla.cli.kafka.options import ToolOptions
from ottla.cli.perf_load import MB, ConsumeLoad

_COLUMNS = (
    "data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec, rebalance.time.ms, fetch.time.ms, fetch.MB.sec, "
    "fetch.nMsg.sec"
)


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka-consumer-perf-test", "How fast records are given.")
    options.value("--bootstrap-server", "--broker-list", required=True)
    options.value("--topic", required=True)
    options.value("--messages", type=int, required=True)
    options.value("--group", default=f"perf-consumer-{random.randrange(100_000)}")
    options.value("--fetch-size", type=int, default=1 << 20)
    options.value("--timeout", type=int, default=10_000, help="milliseconds without a record that end it")
    options.value("--reporting-interval", type=int, default=5000, help="milliseconds")
    options.value("--consumer.config", help="file with properties of the consumer")
    for flag in ("--from-latest", "--hide-header", "--show-detailed-stats", "--print-metrics"):
        options.flag(flag)
    for name in ("--socket-buffer-size", "--threads", "--num-fetch-threads"):
        options.value(name, type=int, help="accepted, without effect")
    options.value("--date-format", help="accepted, without effect")
    given = options.parse(arguments)
    detailed = given.show_detailed_stats
    if not given.hide_header:
        print(("time, threadId, " if detailed else "start.time, end.time, ") + _COLUMNS)
    target = make_tool_target(given.bootstrap_server, given.consumer_config)
    config = {
        "group_id": given.group,
        "auto_offset_reset": "latest" if given.from_latest else "earliest",
        "max_partition_fetch_bytes": given.fetch_size,
        "check_crcs": False,
    }
    started = time.time()
    reports = _Reports(given.reporting_interval) if detailed else None
    with interruptible(), target.consumer(**config) as consumer:
        consumer.subscribe([given.topic])
        load = ConsumeLoad(consumer)
        load.run(given.messages, given.timeout / 1000, reports)
    if load.messages < given.messages:
        print(f"WARNING: Exiting before consuming the expected number of messages: timeout ({given.timeout} ms) "
              "exceeded. You can use the --timeout option to increase the timeout.", file=sys.stderr)  # fmt: skip
    if not detailed:
        print(f"{_date(started)}, {_date(started + load.seconds)}, {_figures(load)}")
    return 0


class _Reports:
    """A line for every interval, about the interval alone."""

    def __init__(self, interval_ms: int) -> None:
        self._interval = interval_ms / 1000
        self._since = time.monotonic()
        self._messages = self._bytes = 0

    def __call__(self, load: ConsumeLoad) -> None:
        now = time.monotonic()
        if now - self._since < self._interval:
            return
        seconds, messages, size = now - self._since, load.messages - self._messages, load.bytes - self._bytes
        self._since, self._messages, self._bytes = now, load.messages, load.bytes
        print(f"{_date(time.time())}, 0, {load.bytes / MB:.4f}, {size / MB / seconds:.4f}, {load.messages}, "
              f"{messages / seconds:.4f}, 0, {seconds * 1000:.0f}, {size / MB / seconds:.4f}, "
              f"{messages / seconds:.4f}", flush=True)  # fmt: skip


def _figures(load: ConsumeLoad) -> str:
    fetching = max(load.seconds - load.rebalance_seconds, 1e-3)
    size = load.bytes / MB
    return (
        f"{size:.4f}, {size / load.seconds:.4f}, {load.messages}, {load.messages / load.seconds:.4f}, "
        f"{load.rebalance_seconds * 1000:.0f}, {fetching * 1000:.0f}, {size / fetching:.4f}, "
        f"{load.messages / fetching:.4f}"
    )


def _date(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds)
    return moment.strftime("%Y-%m-%d %H:%M:%S") + f":{moment.microsecond // 1000:03d}"
