"""The offset checkpoints of a log directory: Kafka's bytes, and nothing else is taken for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.model import TopicPartition
from ottla.storage.log_dir.checkpoint_text import MalformedCheckpointError
from ottla.storage.log_dir.checkpoints import decode_offsets, encode_offsets

_names = st.text("abcXYZ019._-", min_size=1, max_size=20)
_offsets = st.dictionaries(st.builds(TopicPartition, _names, st.integers(0, 2**31 - 1)), st.integers(0, 2**63 - 1))


def test_file_has_kafkas_form() -> None:
    offsets = {TopicPartition("orders", 0): 17, TopicPartition("my.topic-1", 12): 0}
    assert encode_offsets(offsets) == b"0\n2\norders 0 17\nmy.topic-1 12 0\n"


def test_no_partitions_is_a_file_of_two_lines() -> None:
    assert encode_offsets({}) == b"0\n0\n"
    assert decode_offsets(b"0\n0\n", "there") == {}


@given(_offsets)
def test_what_was_written_is_read(offsets: dict[TopicPartition, int]) -> None:
    assert decode_offsets(encode_offsets(offsets), "there") == offsets


@pytest.mark.parametrize(
    "data",
    [b"", b"0\n", b"2\n0\n", b"0\n1\n", b"0\n1\norders 0\n", b"0\n1\norders 0 1 2\n", b"0\n1\norders x 1\n",
     b"0\n1\norders -1 1\n", b"0\n1\norders 0 1\norders 1 1\n", b"\0\0\0\0", b"0\n1\n  1\n",
     b"0\n1\norders 0 9223372036854775808\n"],
)  # fmt: skip
def test_a_damaged_file_is_refused_with_its_name(data: bytes) -> None:
    with pytest.raises(MalformedCheckpointError, match="there"):
        decode_offsets(data, "there")
