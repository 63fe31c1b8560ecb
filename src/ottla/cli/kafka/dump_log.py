"""`kafka-dump-log`: what stands in segment files, as Kafka's DumpLogSegments prints it.

One line per batch; with --print-data-log one more per record. Indexes are printed with their entries. A file that does
not match its log gets the report that Kafka's tool makes at the end.
"""

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat

from ottla.cli.kafka.index_dump import Mismatches, dump_index, dump_snapshot, dump_time_index, dump_txn_index
from ottla.cli.kafka.options import ToolOptions
from ottla.cli.segment_reading import SegmentBatch, read_segment
from ottla.errors.tree import OperatorError
from ottla.records.attributes import TimestampType
from ottla.records.batch import MAGIC, BatchHeader
from ottla.records.control import ControlType, decode_control_type, decode_end_txn_marker
from ottla.records.record import Record

Decoder = Callable[[Record], tuple[str | None, str | None]]


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka-dump-log", "Print what stands in segment files.")
    options.value("--files", required=True, help="segment files, with commas between them")
    options.flag("--print-data-log", help="print the records too")
    options.flag("--deep-iteration", help="print a line for every record")
    options.flag("--skip-record-metadata", help="of every record print key and payload only")
    options.flag("--offsets-decoder", help="records of __consumer_offsets, decoded")
    options.flag("--transaction-log-decoder", help="records of __transaction_state, decoded")
    options.flag("--verify-index-only", help="check the indexes and print nothing else")
    options.flag("--index-sanity-check", help="check only what a broker checks at its start")
    options.value("--max-bytes", type=int, default=2**31 - 1, help="read no more than this of each log file")
    options.value("--max-message-size", type=int, help="accepted, without effect")
    options.value("--key-decoder-class", help="accepted, without effect")
    options.value("--value-decoder-class", help="accepted, without effect")
    given = options.parse(arguments)
    mismatches = Mismatches()
    for path in given.files.split(","):
        print(f"Dumping {path}")
        suffix = os.path.splitext(path)[1]
        if suffix == ".log":
            _dump_log(path, given, mismatches)
        elif suffix == ".index":
            dump_index(path, given.index_sanity_check, given.verify_index_only, mismatches)
        elif suffix == ".timeindex":
            dump_time_index(path, given.index_sanity_check, given.verify_index_only, mismatches)
        elif suffix == ".txnindex":
            dump_txn_index(path)
        elif suffix == ".snapshot":
            dump_snapshot(path)
        else:
            print(f"Ignoring unknown file {path}", file=sys.stderr)
    mismatches.report()
    return 0


def _dump_log(path: str, given: Namespace, mismatches: Mismatches) -> None:
    with_data = given.print_data_log or given.offsets_decoder or given.transaction_log_decoder
    deep = with_data or given.deep_iteration
    decode = _decoder(given)
    with_metadata = not given.skip_record_metadata
    bytes_max = given.max_bytes
    with read_segment(path) as reading:
        print(f"Log starting offset: {_base_offset(path)}")
        last_offset = -1
        for batch in reading:
            if batch.position + batch.header.size_bytes > bytes_max:
                return
            print(_batch_line(batch))
            if deep:
                for record, checksum in _checked_records(batch):
                    if last_offset == -1:
                        last_offset = record.offset
                    elif record.offset != last_offset + 1:
                        mismatches.not_consecutive(path, last_offset, record.offset)
                    last_offset = record.offset
                    print("".join(_record_parts(record, checksum, batch.header, with_data, with_metadata, decode)))
        left = os.path.getsize(path) - reading.end
        if left > 0:
            print(f"Found {left} invalid bytes at the end of {os.path.basename(path)}")


def _base_offset(path: str) -> int:
    name = os.path.basename(path).split(".")[0]
    if not name.isdecimal():
        raise OperatorError(f"{path} is no segment: the name of one is the offset of its first record")
    return int(name)


def _batch_line(batch: SegmentBatch) -> str:
    header = batch.header
    if header.magic < MAGIC:
        return f"offset: {header.last_offset} {_batch_end(batch)}"
    horizon = header.delete_horizon_ms
    return (
        f"baseOffset: {header.base_offset} lastOffset: {header.last_offset} count: {header.records_count} "
        f"baseSequence: {header.base_sequence} lastSequence: {header.last_sequence} producerId: {header.producer_id} "
        f"producerEpoch: {header.producer_epoch} partitionLeaderEpoch: {header.partition_leader_epoch} "
        f"isTransactional: {_java(header.is_transactional)} isControl: {_java(header.is_control)} "
        f"deleteHorizonMs: {'OptionalLong.empty' if horizon is None else f'OptionalLong[{horizon}]'} "
        f"{_batch_end(batch)}"
    )


def _batch_end(batch: SegmentBatch) -> str:
    header = batch.header
    return (
        f"position: {batch.position} {_timestamp_type(header)}: {header.max_timestamp} size: {header.size_bytes} "
        f"magic: {header.magic} compresscodec: {header.compression.name.lower()} crc: {header.crc} "
        f"isvalid: {_java(batch.problem is None)}"
    )


def _checked_records(batch: SegmentBatch) -> Iterator[tuple[Record, int | None]]:
    """Records, those of the old formats with a checksum of their own."""
    if batch.header.magic < MAGIC:
        return zip(batch.records(), batch.message_checksums(), strict=True)
    return zip(batch.records(), repeat(None))


def _record_parts(
    record: Record, checksum: int | None, header: BatchHeader, with_data: bool, with_metadata: bool, decode: Decoder
) -> Iterator[str]:
    if with_metadata:
        yield (
            f"| offset: {record.offset} {_timestamp_type(header)}: {record.timestamp} keySize: {_size(record.key)} "
            f"valueSize: {_size(record.value)}"
        )
    if with_metadata and header.magic >= MAGIC:
        sequence = -1 if header.base_sequence < 0 else header.base_sequence + record.offset - header.base_offset
        keys = ",".join(name for name, _value in record.headers)
        yield f" sequence: {sequence} headerKeys: [{keys}]"
    if with_metadata and checksum is not None:
        yield f" isValid: true crc: {checksum}}}"  # the brace is Kafka's
    if header.is_control:
        yield _control(record)
    elif with_data:
        key, value = decode(record)
        if key is not None:
            yield f" key: {key}" if with_metadata else f"| key: {key}"
        yield "" if value is None else f" payload: {value}"


def _control(record: Record) -> str:
    control = decode_control_type(record.key)
    if control in (ControlType.ABORT, ControlType.COMMIT):
        marker = decode_end_txn_marker(record)
        return f" endTxnMarker: {control.name} coordinatorEpoch: {marker.coordinator_epoch}"
    return f" controlType: {'UNKNOWN' if control is None else control.name}"


def _decoder(given: Namespace) -> Decoder:
    if given.transaction_log_decoder:
        from ottla.cli.kafka.transactions_decoder import decode_transactions_record

        return decode_transactions_record
    if given.offsets_decoder:
        from ottla.cli.kafka.offsets_decoder import decode_offsets_record

        return decode_offsets_record
    return lambda record: (_text(record.key), _text(record.value))


def _text(data: bytes | None) -> str | None:
    return None if data is None else bytes(data).decode("utf-8", "replace")


def _size(data: bytes | None) -> int:
    return -1 if data is None else len(data)


def _timestamp_type(header: BatchHeader) -> str:
    if header.magic == 0:
        return "NoTimestampType"
    return "LogAppendTime" if header.timestamp_type is TimestampType.LOG_APPEND_TIME else "CreateTime"


def _java(value: bool) -> str:
    return "true" if value else "false"
