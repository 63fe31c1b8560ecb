"""How fast the record kernels are, per second and core: `python bench/record_kernels.py`.

The best of several runs of each, on 20,000 records of 100 bytes, few enough that it is the kernel that is measured and
not the memory. `OTTLA_KERNELS=interpreted` shows what the compiler is worth.
"""

import os
import struct
import time
from collections.abc import Callable

from ottla.records import kernels
from ottla.records.batch import HEADER_SIZE, decode_header
from ottla.records.columns import ArrowBytes, decode_columns, encode_columns, spans_of_columns
from ottla.records.legacy import down_convert, up_convert
from ottla.records.partitioning import partition_rows
from ottla.records.record import Record, RecordsSection, decode_rows, encode_batch, index_section
from ottla.records.scan import scan_batches

COUNT = 20_000
ROUNDS = 7
TIMESTAMP = 1_700_000_000_000


def best_seconds(function: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def report(name: str, function: Callable[[], object]) -> None:
    print(f"{name:34} {COUNT / best_seconds(function) / 1e6:8.2f} M records/s")


def measure_batches(records: list[Record]) -> None:
    batch = encode_batch(records)
    header = decode_header(batch)
    section = RecordsSection(batch, HEADER_SIZE, len(batch))
    keys = [record.key for record in records] if records[0].key else None
    values = [record.value for record in records]
    times = [record.timestamp for record in records]
    report(
        "validate",
        lambda: kernels.validate_records(batch, HEADER_SIZE, len(batch), COUNT, header.base_timestamp, False, 0, 2**62),
    )
    report("index (spans)", lambda: index_section(section, header))
    report("decode to rows", lambda: decode_rows(section, header, Record))
    report("decode to columns", lambda: decode_columns([(header, section)]))
    report("encode from lists", lambda: kernels.encode_records(keys, values, times, times[0], None, None))
    report("down-convert to v1", lambda: down_convert(batch, 1))
    message_set = down_convert(batch, 1)
    report("up-convert from v1", lambda: up_convert(message_set))


def measure_columns(records: list[Record]) -> None:
    keys, values = (arrow_column([row[field] for row in records]) for field in (2, 3))
    spans = spans_of_columns(COUNT, keys, values, TIMESTAMP)
    report("spans of Arrow columns", lambda: spans_of_columns(COUNT, keys, values, TIMESTAMP))
    report("encode from columns", lambda: encode_columns(spans, keys.data, values.data, TIMESTAMP))
    report("partition by key (murmur2)", lambda: partition_rows(keys.data, spans, 12))


def arrow_column(fields: list[bytes]) -> ArrowBytes:
    ends = [0]
    for field in fields:
        ends.append(ends[-1] + len(field))
    return ArrowBytes(struct.pack(f"<{len(ends)}i", *ends), b"".join(fields))


def main() -> None:
    print(f"kernels compiled: {kernels.KERNELS_COMPILED}")
    plain = [Record(index, TIMESTAMP + index, None, os.urandom(100)) for index in range(COUNT)]
    keyed = [Record(index, TIMESTAMP + index, b"key-%05d" % index, os.urandom(91)) for index in range(COUNT)]
    for name, records in (("no keys", plain), ("with keys", keyed)):
        print(f"--- 100-byte records, {name}")
        measure_batches(records)
    measure_columns(keyed)
    log = b"".join(
        encode_batch([record._replace(offset=index * 100 + row) for row, record in enumerate(plain[:100])])
        for index in range(2000)
    )
    print(f"{'recovery scan':34} {len(log) / best_seconds(lambda: scan_batches(log)) / 1e9:8.2f} GB/s")


if __name__ == "__main__":
    main()
