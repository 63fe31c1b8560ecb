"""`kafka-verifiable-producer`: numbers as records, and a line of JSON about every one of them.

System tests of Kafka rely on these lines: a number that was acknowledged must be found by every reader.
"""

import itertools
import json
import time
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from ottla.cli.interruption import interruptible
from ottla.cli.kafka.clients import make_tool_target
from ottla.cli.kafka.java import exception_name
from ottla.cli.kafka.options import ToolOptions
from ottla.cli.perf_load import throttle
from ottla.errors import KafkaError, OttlaError


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka-verifiable-producer", "Numbers as records, each told of in JSON.")
    options.value("--bootstrap-server", "--broker-list", required=True)
    options.value("--topic", required=True)
    options.value("--max-messages", type=int, default=-1)
    options.value("--throughput", type=float, default=-1)
    options.value("--acks", default="-1")
    options.value("--producer.config", help="file with properties of the producer")
    options.value("--message-create-time", type=int, default=-1)
    options.value("--value-prefix", type=int)
    options.value("--repeating-keys", type=int)
    given = options.parse(arguments)
    target = make_tool_target(given.bootstrap_server, given.producer_config)
    run = _Run(given)
    with interruptible(), target.producer(acks="all" if given.acks == "-1" else given.acks) as producer:
        print_event("startup_complete")
        try:
            run.send(producer)
        finally:
            producer.flush()
            print_event("shutdown_complete")
            run.print_summary()
    return 0


def print_event(name: str, **fields: Any) -> None:
    event = {"timestamp": int(time.time() * 1000), "name": name} | fields
    print(json.dumps(event, separators=(",", ":")), flush=True)


class _Run:
    def __init__(self, given: Namespace) -> None:
        self._given = given
        self._sent = self._acked = 0
        self._started = time.monotonic()

    def send(self, producer: Any) -> None:
        given = self._given
        for number in range(given.max_messages) if given.max_messages >= 0 else itertools.count():
            key = None if given.repeating_keys is None else str(number % given.repeating_keys)
            value = str(number) if given.value_prefix is None else f"{given.value_prefix}.{number}"
            create_time = None if given.message_create_time < 0 else given.message_create_time + number
            told = {"key": key, "value": value, "topic": given.topic}
            producer.send(
                given.topic,
                value.encode(),
                None if key is None else key.encode(),
                timestamp_ms=create_time,
                on_delivery=lambda metadata, error, told=told: self._delivered(told, metadata, error),
            )
            self._sent += 1
            if given.throughput > 0:
                throttle(self._started, self._sent, given.throughput)

    def _delivered(self, told: dict[str, Any], metadata: Any, error: OttlaError | None) -> None:
        if error is None:
            self._acked += 1
            print_event("producer_send_success", **told, partition=metadata.partition, offset=metadata.offset)
        else:
            exception = exception_name(error) if isinstance(error, KafkaError) else type(error).__name__
            print_event("producer_send_error", **told, exception=f"class {exception}", message=str(error))

    def print_summary(self) -> None:
        seconds = max(time.monotonic() - self._started, 1e-9)
        print_event(
            "tool_data",
            sent=self._sent,
            acked=self._acked,
            target_throughput=self._given.throughput,
            avg_throughput=self._acked / seconds,
        )
