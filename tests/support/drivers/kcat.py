"""Debian's kcat, which stands on an older librdkafka. It sets no timestamps and reports no offsets when producing."""

import enum
import itertools
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from support.drivers.records import CONSUME_SECONDS_MAX, ClientRecord, Driver, DriverError, Headers
from support.peers import require_command

# Partition, offset, timestamp, lengths of key and value (-1: null), headers; then the key and the value themselves.
OUTPUT_FORMAT = r"%p %o %T %K %S %h\n%k%s\n"
KEY_DELIMITER = b":"


class ValueKind(enum.Enum):
    NULL = enum.auto()
    EMPTY = enum.auto()
    BYTES = enum.auto()


class KcatDriver(Driver):
    name = "kcat"
    sets_timestamps = False
    reports_offsets = False

    def __init__(self, name: str = "kcat", settings: Mapping[str, str] | None = None) -> None:
        self.name = name
        self._settings = dict(settings or {})

    def produce(
        self,
        address: str,
        topic: str,
        records: Sequence[ClientRecord],
        *,
        codec: str = "none",
        acks: str = "all",
        config: Mapping[str, str] | None = None,
    ) -> list[int]:
        """One kcat for every run of records that differ only in their values, each value a file.

        Empty files are not sent at all, so empty and null values go as lines of key and value, which must have a key.
        """
        settings = {"acks": acks, "message.timeout.ms": "20000", **(config or {})}
        for (partition, key, headers, kind), run in itertools.groupby(records, _alike):
            arguments = ["-P", "-z", codec, "-t", topic, "-p", str(-1 if partition is None else partition)]
            for name, value in headers:
                arguments += ["-H", name if value is None else f"{name}={value.decode()}"]
            values = [record.value or b"" for record in run]
            if kind is not ValueKind.BYTES:
                assert key is not None
                arguments += ["-K", KEY_DELIMITER.decode(), *(["-Z"] if kind is ValueKind.NULL else [])]
                self._run(address, arguments, settings, stdin=(key + KEY_DELIMITER + b"\n") * len(values))
            else:
                arguments += [] if key is None else ["-k", key.decode()]
                self._produce_files(address, arguments, settings, values)
        return [-1] * len(records)

    def _produce_files(
        self, address: str, arguments: list[str], settings: Mapping[str, str], values: Iterable[bytes]
    ) -> None:
        with tempfile.TemporaryDirectory(prefix="kcat-") as directory:
            files = []
            for number, value in enumerate(values):
                files.append(Path(directory, str(number)))
                files[-1].write_bytes(value)
            self._run(address, [*arguments, *map(str, files)], settings)

    def consume(
        self,
        address: str,
        topic: str,
        starts: Mapping[int, int],
        count: int,
        *,
        timeout: float = CONSUME_SECONDS_MAX,
        config: Mapping[str, str] | None = None,
    ) -> list[ClientRecord]:
        """kcat reads one partition at a given offset, so each is read in turn, up to the end that it has then."""
        records: list[ClientRecord] = []
        for partition, offset in starts.items():
            if len(records) < count:
                arguments = ["-C", "-e", "-t", topic, "-p", str(partition), "-o", str(offset), "-f", OUTPUT_FORMAT]
                arguments += ["-c", str(count - len(records))]
                records += _parse(self._run(address, arguments, config or {}, timeout=timeout))
        return records

    def offset_at(self, address: str, topic: str, partition: int, at: str | int) -> int:
        timestamp = {"earliest": -2, "latest": -1}.get(str(at), at)
        output = self._run(address, ["-Q", "-t", f"{topic}:{partition}:{timestamp}"], {}).decode()
        found = re.search(r"offset (-?\d+)", output)
        if found is None:
            raise DriverError(output)
        return int(found.group(1))

    def _run(
        self,
        address: str,
        arguments: list[str],
        settings: Mapping[str, str],
        stdin: bytes = b"",
        timeout: float = CONSUME_SECONDS_MAX,
    ) -> bytes:
        options = {"broker.address.family": "v4", **self._settings, **settings}
        extra = [word for key, value in options.items() for word in ("-X", f"{key}={value}")]
        command = [require_command("kcat"), "-b", address, *extra, *arguments]
        done = subprocess.run(command, capture_output=True, timeout=timeout, input=stdin, check=False)
        if done.returncode != 0:
            raise DriverError(done.stderr.decode(errors="replace"))
        return done.stdout


def _alike(record: ClientRecord) -> tuple[int | None, bytes | None, Headers, ValueKind]:
    kind = ValueKind.NULL if record.value is None else ValueKind.BYTES if record.value else ValueKind.EMPTY
    return record.partition, record.key, record.headers, kind


def _parse(output: bytes) -> list[ClientRecord]:
    records: list[ClientRecord] = []
    position = 0
    while position < len(output):
        end = output.index(b"\n", position)
        partition, offset, timestamp, key_size, value_size, header_text = output[position:end].decode().split(" ", 5)
        position = end + 1
        key, position = _take(output, position, int(key_size))
        value, position = _take(output, position, int(value_size))
        position += 1
        headers = tuple(_header(pair) for pair in header_text.split(",") if pair)
        records.append(ClientRecord(key, value, headers, int(timestamp), int(partition), int(offset)))
    return records


def _take(output: bytes, position: int, size: int) -> tuple[bytes | None, int]:
    return (None, position) if size < 0 else (output[position : position + size], position + size)


def _header(pair: str) -> tuple[str, bytes | None]:
    name, separator, value = pair.partition("=")
    return name, None if not separator or value == "NULL" else value.encode()
