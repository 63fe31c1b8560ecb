"""Producer snapshots in Kafka's format: every field comes back, damage is noticed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.storage.producers.producer_snapshot import CorruptSnapshotError, decode_snapshot, encode_snapshot
from ottla.storage.producers.producer_state import ProducerEntry, ProducerStates

# id 4001, epoch 3, sequence 41, offset 99, delta 9, time 1700000000000, coordinator epoch 2, open transaction from 90
ENTRY_BYTES = bytes.fromhex(
    "0000000000000fa1 0003 00000029 0000000000000063 00000009 0000018bcfe56800 00000002 000000000000005a"
)


def entry(**fields: int) -> ProducerEntry:
    made = ProducerEntry(fields.pop("epoch", 0))
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def fields_of(made: ProducerEntry) -> dict[str, object]:
    return {name: getattr(made, name) for name in ProducerEntry.__slots__ if name != "last_seen_ms"}


SAMPLE = entry(
    epoch=3, last_sequence=41, last_offset=99, offset_delta=9, last_timestamp=1_700_000_000_000,
    coordinator_epoch=2, current_txn_first_offset=90,
)  # fmt: skip

_int64 = st.integers(-(2**63), 2**63 - 1)
_int32 = st.integers(-(2**31), 2**31 - 1)
_entries = st.builds(
    entry, epoch=st.integers(-1, 2**15 - 1), last_sequence=_int32, last_offset=_int64, offset_delta=_int32,
    last_timestamp=_int64, coordinator_epoch=_int32, current_txn_first_offset=_int64,
)  # fmt: skip


def test_bytes_are_those_of_the_format() -> None:
    data = encode_snapshot([(4001, SAMPLE)])
    assert data[:2] == b"\x00\x01"
    assert data[6:10] == b"\x00\x00\x00\x01"
    assert data[10:] == ENTRY_BYTES


@given(st.dictionaries(_int64, _entries, max_size=8))
def test_every_field_comes_back(producers: dict[int, ProducerEntry]) -> None:
    decoded = dict(decode_snapshot(encode_snapshot(producers.items())))
    assert {key: fields_of(value) for key, value in decoded.items()} == {
        key: fields_of(value) for key, value in producers.items()
    }


@pytest.mark.parametrize("position", [0, 1, 2, 5, 6, 9, 10, 30, 55])
def test_a_flipped_bit_is_noticed(position: int) -> None:
    data = bytearray(encode_snapshot([(4001, SAMPLE)]))
    data[position] ^= 0x10
    with pytest.raises(CorruptSnapshotError):
        decode_snapshot(bytes(data))


@given(st.data())
def test_a_torn_file_is_noticed(data: st.DataObject) -> None:
    whole = encode_snapshot([(4001, SAMPLE), (4002, entry())])
    torn = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with pytest.raises(CorruptSnapshotError):
        decode_snapshot(torn)


def test_restored_producers_go_on_with_sequence_and_transaction() -> None:
    producers = ProducerStates("orders-0")
    producers.restore(decode_snapshot(encode_snapshot([(4001, SAMPLE)])), end_offset=100, now_ms=5)
    assert producers.end_offset == 100
    assert producers.transactions.first_unstable_offset(100) == 90
    restored = producers.get(4001)
    assert restored is not None
    assert restored.last_seen_ms == 5
    assert [batch.base_offset for batch in restored.batches] == [90]
