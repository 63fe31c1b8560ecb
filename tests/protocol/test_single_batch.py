"""What is found without the message's reader must be what the reader would have found, whatever the bytes are."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.errors import DecodeError
from ottla.protocol.codec import decode, encode
from ottla.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from ottla.protocol.single_batch import TOPIC_ID_VERSION, VERSIONS, SingleBatch, single_batch_finder

HEADER = b"header"  # what stands before a body

names = st.text("abcä.-_", max_size=10) | st.text("t", min_size=125, max_size=130)
records = st.none() | st.binary(max_size=40) | st.integers(100, 20_000).map(bytes)
partitions = st.builds(PartitionProduceData, index=st.integers(-1, 2**31 - 1), records=records)
topics = st.builds(
    TopicProduceData, name=names, topic_id=st.uuids(), partition_data=st.lists(partitions, min_size=1, max_size=2)
)
requests = st.builds(
    ProduceRequest,
    transactional_id=st.sampled_from([None, None, None, "", "t"]),
    acks=st.sampled_from([1, -1, 0, 7]),
    timeout_ms=st.integers(0, 2**31 - 1),
    topic_data=st.lists(topics, max_size=2),
)


def find(version: int, body: bytes | bytearray) -> SingleBatch | None:
    finder = single_batch_finder(version)
    assert finder is not None
    return finder(memoryview(HEADER + body), len(HEADER))


def by_reader(version: int, body: bytes | bytearray) -> SingleBatch | None:
    """The same, from the message: None unless all of the frame is one batch for one partition, and nothing more."""
    try:
        request, end = decode(ProduceRequest, version, body)
    except DecodeError:
        return None
    if end != len(body) or request.transactional_id is not None or len(request.topic_data) != 1:
        return None
    (topic,) = request.topic_data
    if len(topic.partition_data) != 1 or topic.partition_data[0].records is None:
        return None
    (part,) = topic.partition_data
    assert isinstance(part.records, memoryview)
    return request.acks, topic.topic_id.bytes if version >= TOPIC_ID_VERSION else topic.name, part.index, part.records


def assert_same(found: SingleBatch | None, expected: SingleBatch | None) -> None:
    assert found is not None
    assert expected is not None
    assert found[:3] == expected[:3]
    assert bytes(found[3]) == bytes(expected[3])


@given(st.sampled_from(VERSIONS), requests)
def test_a_single_batch_is_found_as_the_reader_has_it_and_no_other(version: int, request: ProduceRequest) -> None:
    body = encode(request, version)
    expected = by_reader(version, body)
    found = find(version, body)
    if expected is None:
        assert found is None
    elif isinstance(expected[1], bytes) or len(expected[1].encode()) < 127:
        assert_same(found, expected)


@given(st.sampled_from(VERSIONS), requests, st.data())
def test_what_is_found_in_broken_bytes_is_what_the_reader_finds(
    version: int, request: ProduceRequest, data: st.DataObject
) -> None:
    body = bytearray(encode(request, version))
    for _ in range(data.draw(st.integers(1, 3))):
        body[data.draw(st.integers(0, min(len(body), 60) - 1))] = data.draw(st.integers(0, 255))
    body = body[: data.draw(st.integers(0, len(body)))] if data.draw(st.booleans()) else body
    found = find(version, body)
    if found is not None:
        assert_same(found, by_reader(version, body))


@pytest.mark.parametrize("size", [0, 1, 61, 126, 127, 128, 16382, 16383, 16384, 3_000_000])
@pytest.mark.parametrize("version", [3, 8, 9, 12, 13])
def test_records_of_every_size_are_found(version: int, size: int) -> None:
    part = PartitionProduceData(index=3, records=bytes(size))
    topic_id = uuid.UUID(int=7)
    topic = TopicProduceData(name="t", topic_id=topic_id, partition_data=[part])
    name = topic_id.bytes if version >= TOPIC_ID_VERSION else "t"
    found = find(version, encode(ProduceRequest(acks=-1, topic_data=[topic]), version))
    assert found == (-1, name, 3, bytes(size))


def test_versions_with_message_sets_are_left_to_the_reader() -> None:
    assert [version for version in range(14) if single_batch_finder(version) is not None] == list(VERSIONS)
