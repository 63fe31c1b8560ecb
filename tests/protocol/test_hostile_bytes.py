"""Whatever the bytes are: a message or a DecodeError, and no more memory than the bytes pay for."""

import random
import tracemalloc
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.errors import DecodeError
from ottla.model import ZERO_UUID
from ottla.protocol.codec import decode, encode
from ottla.protocol.headers import decode_request_header
from ottla.protocol.message import Message, Request
from ottla.protocol.messages.api_versions import ApiVersionsResponse
from ottla.protocol.messages.create_topics import CreateTopicsRequest
from ottla.protocol.messages.describe_groups import DescribedGroup, DescribeGroupsResponse
from ottla.protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from ottla.protocol.messages.fetch import FetchRequest
from ottla.protocol.messages.heartbeat import HeartbeatRequest
from ottla.protocol.messages.kraft import BrokerHeartbeatRequest
from ottla.protocol.messages.list_groups import ListGroupsRequest
from ottla.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from ottla.protocol.messages.produce import ProduceRequest
from ottla.protocol.messages.update_metadata import (
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)
from ottla.protocol.primitives import UUID_CACHE_ENTRIES_MAX, uuids
from support.message_values import all_message_classes, all_versions, random_message
from support.mutated_bytes import mutate

CLASSES = all_message_classes()
MUTATIONS_PER_VERSION = 12
OBJECT_BYTES_MAX = 400
"""What one byte of input may cost at most: an element of one byte is an object with its fields."""


def decode_or_refuse(message_class: type[Message], version: int, data: bytes) -> None:
    try:
        _, end = decode(message_class, version, data)
    except DecodeError:
        return
    assert end <= len(data)


def test_mutated_messages_decode_or_are_refused() -> None:
    rng = random.Random(101)
    for message_class, version in all_versions():
        data = encode(random_message(rng, message_class, version), version)
        for _ in range(MUTATIONS_PER_VERSION):
            decode_or_refuse(message_class, version, mutate(rng, data))


def test_every_cut_of_a_message_is_refused() -> None:
    rng = random.Random(102)
    for message_class in CLASSES:
        version = message_class.VERSIONS[-1]
        data = encode(random_message(rng, message_class, version), version)
        for end in range(0, len(data), max(1, len(data) // 40)):
            with pytest.raises(DecodeError):
                decode(message_class, version, data[:end])


@given(data=st.binary(max_size=200), choice=st.randoms(use_true_random=False))
def test_random_bytes_decode_or_are_refused(data: bytes, choice: random.Random) -> None:
    message_class = choice.choice(CLASSES)
    decode_or_refuse(message_class, choice.choice(message_class.VERSIONS), data)


@given(data=st.binary(max_size=60))
def test_random_header_decodes_or_is_refused(data: bytes) -> None:
    try:
        _, position = decode_request_header(data)
    except DecodeError:
        return
    assert position <= len(data)


@pytest.mark.parametrize(
    "filling",
    [b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff\x0f", b"\xff\xff\xff\xff\x07", b"\x00\x00\x03\xe8", b"\x01", b"\x02"],
    ids=repr,
)
def test_memory_is_bounded_by_the_input(filling: bytes) -> None:
    data = filling * (1000 // len(filling))
    for message_class, version in all_versions():
        decode_or_refuse(message_class, version, data)  # compiles outside of the measurement
    tracemalloc.start()
    try:
        for message_class, version in all_versions():
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            decode_or_refuse(message_class, version, data)
            peak = tracemalloc.get_traced_memory()[1] - before
            assert peak < 20_000 + OBJECT_BYTES_MAX * len(data), (message_class.__name__, version, peak)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("message_class", "version", "data", "reason"),
    [
        (HeartbeatRequest, 0, b"\x00\x05abc", "group_id has length 5, but only 3 bytes are left"),
        (HeartbeatRequest, 0, b"\xff\xff", "group_id is null"),
        (HeartbeatRequest, 0, b"\xff\xfe", "group_id has length -2"),
        (HeartbeatRequest, 0, b"\x00\x02\xc3\x28", "invalid continuation byte"),
        (HeartbeatRequest, 0, b"\x00", "end too early"),
        (HeartbeatRequest, 3, b"\x00\x00\x00\x00\x00\x00\x00\x00\xff\xfd", "group_instance_id has length -3"),
        (HeartbeatRequest, 4, b"\x00", "group_id is null"),
        (HeartbeatRequest, 4, b"\xff\xff\xff\xff\xff\x01", "more than five bytes"),
        (HeartbeatRequest, 4, b"\xff\xff\xff\xff\x7f", "group_id has length 34359738366"),
        (MetadataRequest, 0, b"\xff\xff\xff\xff", "topics is null"),
        (MetadataRequest, 1, b"\xff\xff\xff\xfe", "topics has length -2"),
        (MetadataRequest, 1, b"\x00\x00\x00\x02\x00\x00\x00", "topics has length 2"),
        (ListGroupsRequest, 4, b"\x02\x00\x00", "element is null"),
        (ProduceRequest, 3, b"\xff\xff\x00\x01\x00\x00\x00\x00\x7f\xff\xff\xff", "topic_data has length 2147483647"),
    ],
)
def test_what_is_wrong_is_said(message_class: type[Message], version: int, data: bytes, reason: str) -> None:
    with pytest.raises(DecodeError, match=f"{message_class.__name__} v{version}: .*{reason}"):
        decode(message_class, version, data)


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        (b"\x02\x07\x00\x07\x00", "tag 7 comes after tag 7"),
        (b"\x02\x07\x00\x06\x00", "tag 6 comes after tag 7"),
        (b"\x01\x07\x05abc", "tag 7 has 5 bytes, 3 are left"),
        (b"\x02\x07\x00", "end too early"),
        (b"\xff\xff\xff\xff\x0f", "end too early"),
        (b"\xff\xff\xff\xff\xff\x0f", "more than five bytes"),
    ],
)
def test_bad_tag_section_is_refused(tags: bytes, reason: str) -> None:
    for message_class, version in ((FetchRequest, 12), (MetadataRequest, 9)):  # with and without tags of its own
        with pytest.raises(DecodeError, match=reason):
            decode(message_class, version, encode(message_class(), version)[:-1] + tags)


def test_tag_content_must_fill_its_size() -> None:
    before_tags = encode(FetchRequest(), 12)[:-1]
    with pytest.raises(DecodeError, match="cluster_id is 4 bytes longer"):
        decode(FetchRequest, 12, before_tags + b"\x01\x00\x01\x05abcd")
    with pytest.raises(DecodeError, match="cluster_id is 1 bytes shorter"):
        decode(FetchRequest, 12, before_tags + b"\x01\x00\x03\x02a\x00")


def test_memory_of_many_tiny_elements_is_bounded_by_the_input() -> None:
    data = encode(MetadataRequest(topics=[MetadataRequestTopic()] * 20_000), 9)
    tracemalloc.start()
    try:
        message, _ = decode(MetadataRequest, 9, data)
        assert tracemalloc.get_traced_memory()[1] < 100 * len(data)
    finally:
        tracemalloc.stop()
    assert message.topics is not None
    assert len(message.topics) == 20_000


def test_count_is_bounded_by_the_smallest_element() -> None:
    """A topic takes 14 bytes at least, so 27 bytes cannot hold two."""
    with pytest.raises(DecodeError, match="topics has length 2"):
        decode(CreateTopicsRequest, 0, b"\x00\x00\x00\x02" + bytes(27))
    with pytest.raises(DecodeError, match="api_keys has length 3"):
        decode(ApiVersionsResponse, 0, b"\x00\x00\x00\x00\x00\x03" + bytes(17))
    with pytest.raises(DecodeError, match="offline_log_dirs has length 2"):
        decode(BrokerHeartbeatRequest, 1, encode(BrokerHeartbeatRequest(), 1)[:-1] + b"\x01\x00\x15\x03" + bytes(20))


def test_cache_of_uuids_is_bounded() -> None:
    for number in range(UUID_CACHE_ENTRIES_MAX + 10):
        assert uuids[number.to_bytes(16, "big")] == uuid.UUID(int=number)
    assert len(uuids) <= UUID_CACHE_ENTRIES_MAX


def test_elements_of_a_request_are_bounded_over_all_its_arrays() -> None:
    """An element can be a single byte: what it becomes in memory and in the answer is a thousand times that."""
    elements_max = Request.ELEMENTS_MAX
    assert elements_max is not None
    partitions = [1] * (elements_max // 10 - 1)
    topics = [DescribableLogDirTopic(topic="t", partitions=partitions) for _ in range(10)]
    for version in (1, 4):  # with fixed and with compact lengths
        decode(DescribeLogDirsRequest, version, encode(DescribeLogDirsRequest(topics=topics), version))
        too_many = DescribeLogDirsRequest(topics=[*topics, DescribableLogDirTopic(topic="t", partitions=[1])])
        with pytest.raises(DecodeError, match=f"more than {elements_max} elements"):
            decode(DescribeLogDirsRequest, version, encode(too_many, version))


def test_elements_of_a_tag_are_bounded_too() -> None:
    elements_max = Request.ELEMENTS_MAX
    assert elements_max is not None
    request = BrokerHeartbeatRequest(offline_log_dirs=[ZERO_UUID] * (elements_max + 1))
    with pytest.raises(DecodeError, match=f"more than {elements_max} elements"):
        decode(BrokerHeartbeatRequest, 1, encode(request, 1))


def test_what_brokers_tell_each_other_and_what_clients_are_answered_is_as_large_as_the_cluster() -> None:
    count = (Request.ELEMENTS_MAX or 0) + 1
    states = [UpdateMetadataPartitionState()] * count
    update = UpdateMetadataRequest(topic_states=[UpdateMetadataTopicState(partition_states=states)])
    assert decode(UpdateMetadataRequest, 8, encode(update, 8))[0] == update
    answer = DescribeGroupsResponse(groups=[DescribedGroup()] * count)
    assert len(decode(DescribeGroupsResponse, 5, encode(answer, 5))[0].groups) == count
