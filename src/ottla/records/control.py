"""Control records: what the brokers write into a partition for readers and each other, never shown to a consumer.

    key      version int16 = 0 | type int16: 0 ABORT, 1 COMMIT (2 and up belong to KRaft and are passed over)
    value    of a transaction marker: version int16 = 0 | coordinator_epoch int32

A control batch holds exactly one record, has the control and the transactional bit, the producer id and epoch of the
transaction that it ends, no sequence, and takes one offset.
"""

from enum import IntEnum
from struct import Struct, error
from typing import NamedTuple

from ottla.errors.kafka import InvalidRecordError
from ottla.records.batch import Buffer
from ottla.records.record import Record, encode_batch

CONTROL_RECORD_VERSION = 0

_KEY = Struct(">hh")
_END_TXN_VALUE = Struct(">hi")


class ControlType(IntEnum):
    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    KRAFT_VOTERS = 6


class EndTxnMarker(NamedTuple):
    type: ControlType
    coordinator_epoch: int


def decode_control_type(key: Buffer | None) -> ControlType | None:
    """The type of a control record; None for one from the future, which is to be passed over."""
    if key is None or len(key) < _KEY.size:
        raise InvalidRecordError(f"control record with a key of {0 if key is None else len(key)} bytes")
    version, number = _KEY.unpack_from(key)
    if version < 0:
        raise InvalidRecordError(f"control record with version {version}")
    return ControlType(number) if number in _CONTROL_TYPES else None


_CONTROL_TYPES = frozenset(ControlType)


def decode_end_txn_marker(record: Record) -> EndTxnMarker:
    """The marker in a control record of type ABORT or COMMIT."""
    control_type = decode_control_type(record.key)
    if control_type not in (ControlType.ABORT, ControlType.COMMIT):
        raise InvalidRecordError(f"control record of type {control_type} is no transaction marker")
    try:
        _version, coordinator_epoch = _END_TXN_VALUE.unpack_from(record.value or b"")
    except error:
        raise InvalidRecordError("transaction marker without its value") from None
    return EndTxnMarker(control_type, coordinator_epoch)


def encode_end_txn_batch(
    control_type: ControlType,
    *,
    producer_id: int,
    producer_epoch: int,
    coordinator_epoch: int,
    timestamp: int,
    base_offset: int = 0,
    leader_epoch: int = -1,
) -> bytes:
    """The batch that ends a transaction in one partition."""
    record = Record(
        offset=base_offset,
        timestamp=timestamp,
        key=_KEY.pack(CONTROL_RECORD_VERSION, control_type),
        value=_END_TXN_VALUE.pack(CONTROL_RECORD_VERSION, coordinator_epoch),
    )
    return encode_batch(
        [record],
        leader_epoch=leader_epoch,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        is_transactional=True,
        is_control=True,
    )
