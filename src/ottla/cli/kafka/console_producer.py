"""`kafka-console-producer`: lines of standard input as records."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

from ottla.cli.interruption import interruptible
from ottla.cli.kafka.clients import make_tool_target
from ottla.cli.kafka.java import log_line
from ottla.cli.kafka.options import ToolOptions
from ottla.cli.record_input import InputRecord
from ottla.cli.record_sending import Deliveries
from ottla.errors.tree import OttlaError

# Kafka's options that are properties of the producer under another name.
_MAPPED = {
    "batch_size": "batch_size",
    "max_partition_memory_bytes": "batch_size",
    "max_memory_bytes": "buffer_memory",
    "max_block_ms": "max_block_ms",
    "message_send_max_retries": "retries",
    "metadata_expiry_ms": "metadata_max_age_ms",
    "request_required_acks": "acks",
    "request_timeout_ms": "request_timeout_ms",
    "retry_backoff_ms": "retry_backoff_ms",
    "timeout": "linger_ms",
}


class MalformedLineError(OttlaError):
    """A line without the separator that it should have."""


def main(arguments: Sequence[str]) -> int:
    given = _parse(arguments)
    target = make_tool_target(given.bootstrap_server, given.producer_config, given.producer_property)
    config: dict[str, Any] = {name: getattr(given, option) for option, name in _MAPPED.items()
                              if getattr(given, option) is not None}  # fmt: skip
    if given.compression_codec is not None:
        config["compression_type"] = given.compression_codec or "gzip"
    reader = LineReader(dict(text.partition("=")[::2] for text in given.property))
    try:
        with interruptible(), target.producer(**config) as producer:
            _send(producer, given, reader)
    except MalformedLineError as error:
        print(f"org.apache.kafka.common.KafkaException: {error}", file=sys.stderr)
        return 1
    return 0


def _parse(arguments: Sequence[str]) -> Namespace:
    options = ToolOptions("kafka-console-producer", "Lines of standard input as records.")
    options.value("--bootstrap-server", "--broker-list", required=True)
    options.value("--topic", required=True)
    options.values("--property", help="of the reader: parse.key=true, key.separator=: ...")
    options.values("--producer-property", help="name=value")
    options.value("--producer.config", help="file with properties of the producer")
    options.flag("--sync", help="wait for every record")
    options.add_argument("--compression-codec", nargs="?", const="gzip")
    for name in ("batch-size", "max-partition-memory-bytes", "max-memory-bytes", "max-block-ms",
                 "message-send-max-retries", "metadata-expiry-ms", "request-timeout-ms", "retry-backoff-ms",
                 "timeout"):  # fmt: skip
        options.value(f"--{name}", type=int)
    options.value("--request-required-acks")
    options.value("--socket-buffer-size", type=int, help="accepted, without effect")
    options.value("--line-reader", help="accepted, without effect")
    options.value("--reader-config", help="accepted, without effect")
    return options.parse(arguments)


def _send(producer: Any, given: Namespace, reader: "LineReader") -> None:
    deliveries = Deliveries()
    for record in reader.records(sys.stdin.buffer):
        future = producer.send(
            given.topic, record.value, record.key, headers=record.headers, on_delivery=deliveries.note
        )
        if given.sync:
            future.result()
    producer.flush()
    if deliveries.first_error is not None:
        text = f"Error when sending message to topic {given.topic} with error: {deliveries.first_error}"
        print(log_line("ERROR", text, "org.apache.kafka.clients.producer.internals.ErrorLoggingCallback"),
              file=sys.stderr)  # fmt: skip


class LineReader:
    """Headers, key and value of a line, each part of it only where the properties say that it is there."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        def enabled(name: str) -> bool:
            return properties.get(name, "false").strip().lower() == "true"

        self._parse_key, self._parse_headers = enabled("parse.key"), enabled("parse.headers")
        self._ignore_error = enabled("ignore.error")
        self._key_separator = properties.get("key.separator", "\t").encode()
        self._headers_delimiter = properties.get("headers.delimiter", "\t").encode()
        self._headers_separator = properties.get("headers.separator", ",").encode()
        self._header_key_separator = properties.get("headers.key.separator", ":").encode()
        marker = properties.get("null.marker")
        self._null = None if marker is None else marker.encode()

    def records(self, stream: IO[bytes]) -> Iterator[InputRecord]:
        prompt = stream.isatty()
        number = 0
        while True:
            if prompt:
                print(">", end="", flush=True)
            line = stream.readline()
            if not line:
                return
            number += 1
            yield self._record(line.rstrip(b"\r\n"), number)

    def _record(self, line: bytes, number: int) -> InputRecord:
        headers, key, rest = b"", None, line
        if self._parse_headers:
            headers, rest = self._split(rest, self._headers_delimiter, "headers delimiter", line, number)
        if self._parse_key:
            before, rest = self._split(rest, self._key_separator, "key separator", line, number)
            key = self._or_null(before)
        pairs = self._headers(headers, number) if headers and headers != self._null else []
        return InputRecord(key, self._or_null(rest), pairs)

    def _split(self, data: bytes, separator: bytes, what: str, line: bytes, number: int) -> tuple[bytes, bytes]:
        before, found, after = data.partition(separator)
        if not found:
            if self._ignore_error:
                return b"", data
            raise MalformedLineError(f"No {what} found on line number {number}: '{line.decode(errors='replace')}'")
        return before, after

    def _headers(self, data: bytes, number: int) -> list[tuple[str, bytes | None]]:
        pairs = []
        for part in data.split(self._headers_separator):
            name, found, value = part.partition(self._header_key_separator)
            if not found and not self._ignore_error:
                raise MalformedLineError(
                    f"No header key separator found in pair '{part.decode(errors='replace')}' on line number {number}"
                )
            pairs.append((name.decode(), self._or_null(value)))
        return pairs

    def _or_null(self, data: bytes) -> bytes | None:
        return None if self._null is not None and data == self._null else data
