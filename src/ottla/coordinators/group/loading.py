"""A partition of `__consumer_offsets` read from its start into the groups that it holds.

Only the last record of a key counts, so records are kept as bytes by key and decoded when all are read: a partition
that was not cleaned for long costs one dictionary entry per key, not one decoded value per commit. Offsets of
transactions wait, by producer id, for the control record that ends theirs (see `committed_offsets` for which wins).

What cannot be decoded is skipped and logged. One bad record must not take away the offsets of everybody else.
"""

import logging
from collections.abc import Iterator
from typing import NamedTuple

from ottla.coordinators.group.group import Group
from ottla.coordinators.group.records import (
    decode_group_key,
    decode_group_value,
    decode_offset_key,
    decode_offset_value,
    is_group_key,
    is_offset_key,
)
from ottla.coordinators.group.settings import GroupSettings
from ottla.errors import DecodeError, KafkaError
from ottla.records.batch import BatchHeader, Buffer, check_crc
from ottla.records.control import ControlType, decode_control_type
from ottla.records.record import Record, decode_rows, open_section

logger = logging.getLogger(__name__)


class _Latest(NamedTuple):
    """The last value of a key. `record_offset` is that of the batch, as it is at the time of the commit."""

    value: bytes
    record_offset: int


class PartitionLoad:
    """Feed it the batches in order, then `decode`; then `groups` has them all."""

    def __init__(self, settings: GroupSettings, wall_ms: int) -> None:
        self._settings = settings
        self._wall_ms = wall_ms
        self._latest: dict[bytes, _Latest] = {}
        self._transactional: dict[int, dict[bytes, _Latest]] = {}
        self.groups: dict[str, Group] = {}

    def feed(self, buffer: Buffer, position: int, header: BatchHeader) -> None:
        try:
            check_crc(buffer, position, header)
            records = decode_rows(open_section(buffer, position, header), header, Record)
        except KafkaError as error:
            logger.warning("skipping the batch at offset %d: %s", header.base_offset, error)
            return
        if header.is_control:
            if records:
                self._end_transaction(header.producer_id, records[0])
        elif header.is_transactional:
            _keep_latest(self._transactional.setdefault(header.producer_id, {}), records, header.base_offset)
        else:
            _keep_latest(self._latest, records, header.base_offset)

    def _end_transaction(self, producer_id: int, marker: Record) -> None:
        offsets = self._transactional.pop(producer_id, {})
        if decode_control_type(marker.key) is not ControlType.COMMIT:
            return
        for key, offset in offsets.items():
            known = self._latest.get(key)
            if known is None or known.record_offset < offset.record_offset:
                self._latest[key] = offset

    def decode(self) -> Iterator[None]:
        """Fill `groups`: a record per turn, so that the loop may do something else in between."""
        # A group's own record first: offsets may only be added to what it makes.
        for key in [key for key in self._latest if _is_of_group(key)]:
            self._replay_group(key, self._latest.pop(key))
            yield
        for key, latest in self._latest.items():
            self._replay_offset(key, latest, None)
            yield
        for producer_id, offsets in self._transactional.items():
            for key, latest in offsets.items():
                self._replay_offset(key, latest, producer_id)
                yield

    def _replay_group(self, key: bytes, latest: _Latest) -> None:
        try:
            group_id, value = decode_group_key(key), decode_group_value(latest.value)
        except DecodeError:
            logger.exception("skipping the record of a group at offset %d", latest.record_offset)
            return
        self._group(group_id).replay(value)

    def _replay_offset(self, key: bytes, latest: _Latest, producer_id: int | None) -> None:
        try:
            if not is_offset_key(key):
                return
            group_id, partition = decode_offset_key(key)
            offset = decode_offset_value(latest.value, latest.record_offset)
        except DecodeError:
            logger.exception("skipping the record of an offset at offset %d", latest.record_offset)
            return
        offsets = self._group(group_id).offsets
        if producer_id is None:
            offsets.committed[partition] = offset
        else:
            offsets.stage_transactional(producer_id, {partition: offset})

    def _group(self, group_id: str) -> Group:
        group = self.groups.get(group_id)
        if group is None:
            group = self.groups[group_id] = Group(group_id, self._settings, self._wall_ms)
        return group


def _keep_latest(latest: dict[bytes, _Latest], records: list[Record], record_offset: int) -> None:
    for record in records:
        if record.key is None:
            continue
        if record.value is None:
            latest.pop(record.key, None)
        else:
            latest[record.key] = _Latest(record.value, record_offset)


def _is_of_group(key: bytes) -> bool:
    try:
        return is_group_key(key)
    except DecodeError:
        return False
