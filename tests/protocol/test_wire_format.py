"""The bytes themselves, where Kafka has a rule of its own."""

import uuid

import pytest

from ottla.protocol.codec import decode, encode
from ottla.protocol.coordinator_records.consumer_group import ClassicMemberMetadata, ConsumerGroupMemberMetadataValue
from ottla.protocol.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from ottla.protocol.messages.describe_topic_partitions import Cursor, DescribeTopicPartitionsRequest
from ottla.protocol.messages.fetch import EpochEndOffset, FetchRequest, PartitionData, ReplicaState
from ottla.protocol.messages.kraft import NodeEndpoint, UpdateRaftVoterResponse, VoteResponse
from ottla.protocol.messages.list_groups import ListGroupsRequest
from ottla.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from ottla.protocol.messages.offset_delete import OffsetDeleteRequest
from ottla.protocol.messages.sasl_handshake import SaslHandshakeRequest
from ottla.protocol.schema import Data, Struct, int8, nullable_array, nullable_struct


@pytest.mark.parametrize("length", [0, 1, 126, 127, 128, 16_382, 16_383, 16_384])
def test_compact_string_has_its_length_plus_one_as_varint(length: int) -> None:
    request = ApiVersionsRequest(client_software_name="n" * length, client_software_version="1")
    encoded = encode(request, 3)
    prefix = encoded[: encoded.index(b"n")] if length else encoded[:1]
    value = sum((byte & 0x7F) << (7 * index) for index, byte in enumerate(prefix))
    assert value == length + 1
    assert decode(ApiVersionsRequest, 3, encoded) == (request, len(encoded))


def test_array_of_more_than_127_elements_round_trips() -> None:
    response = ApiVersionsResponse(api_keys=[ApiVersion(api_key=key, max_version=key) for key in range(300)])
    for version in (0, 3):
        encoded = encode(response, version)
        assert decode(ApiVersionsResponse, version, encoded) == (response, len(encoded))


def test_null_and_empty_arrays_differ() -> None:
    assert encode(MetadataRequest(topics=None), 1) == b"\xff\xff\xff\xff"
    assert encode(MetadataRequest(topics=[]), 1) == b"\x00\x00\x00\x00"
    assert encode(MetadataRequest(topics=None), 9)[:1] == b"\x00"
    assert encode(MetadataRequest(topics=[]), 9)[:1] == b"\x01"
    assert decode(MetadataRequest, 9, encode(MetadataRequest(topics=None), 9))[0].topics is None


def test_null_struct_is_one_byte_of_minus_one() -> None:
    without, with_cursor = DescribeTopicPartitionsRequest(), DescribeTopicPartitionsRequest(cursor=Cursor())
    assert encode(without, 0) == b"\x01\x00\x00\x07\xd0\xff\x00"
    assert encode(with_cursor, 0) == b"\x01\x00\x00\x07\xd0\x01\x01\x00\x00\x00\x00\x00\x00"
    for request in (without, with_cursor):
        assert decode(DescribeTopicPartitionsRequest, 0, encode(request, 0))[0] == request


def test_nullable_struct_in_a_tag_begins_with_a_varint() -> None:
    value = ConsumerGroupMemberMetadataValue(classic_member_metadata=ClassicMemberMetadata(session_timeout_ms=7))
    encoded = encode(value, 0)
    assert encoded.endswith(b"\x01\x00\x07\x01\x00\x00\x00\x07\x01\x00")
    assert decode(ConsumerGroupMemberMetadataValue, 0, encoded)[0] == value
    null_in_tag = encoded[: -len(b"\x01\x00\x07\x01\x00\x00\x00\x07\x01\x00")] + b"\x01\x00\x01\x00"
    assert decode(ConsumerGroupMemberMetadataValue, 0, null_in_tag)[0].classic_member_metadata is None


class Inner(Struct):
    number = int8()


class Tagged(Struct):
    inner = nullable_struct(Inner)


class Nested(Data, versions="0", flexible="0+"):
    tagged = nullable_struct(Tagged, tag=0)
    numbers = nullable_array(int8, tag=1)


def test_nullable_struct_below_a_tagged_one_begins_with_an_int8() -> None:
    assert encode(Nested(tagged=Tagged(inner=None)), 0) == b"\x01\x00\x03\x01\xff\x00"
    assert encode(Nested(tagged=Tagged(inner=Inner(number=7))), 0) == b"\x01\x00\x05\x01\x01\x07\x00\x00"
    for inner in (None, Inner(number=7)):
        message = Nested(tagged=Tagged(inner=inner))
        assert decode(Nested, 0, encode(message, 0))[0] == message


def test_null_in_a_tag_whose_default_is_not_null_is_written() -> None:
    assert encode(Nested(), 0) == b"\x00"
    assert encode(Nested(numbers=None), 0) == b"\x01\x01\x01\x00"
    assert decode(Nested, 0, b"\x01\x01\x01\x00")[0] == Nested(numbers=None)


def test_tagged_fields_are_written_only_when_they_are_not_the_default() -> None:
    assert encode(FetchRequest(), 15).endswith(b"\x01\x00")
    equal_to_default = FetchRequest(replica_state=ReplicaState(replica_id=-1, replica_epoch=-1))
    assert encode(equal_to_default, 15) == encode(FetchRequest(), 15)


def test_tagged_fields_are_written_in_the_order_of_their_tags() -> None:
    request = FetchRequest(replica_state=ReplicaState(replica_id=1, replica_epoch=2), cluster_id="c")
    tags = b"\x02" + b"\x00\x02\x02c" + b"\x01\x0d\x00\x00\x00\x01" + b"\x00" * 7 + b"\x02\x00"
    encoded = encode(request, 15)
    assert encoded.endswith(tags)
    assert decode(FetchRequest, 15, encoded) == (request, len(encoded))


def test_unknown_tags_are_skipped_between_known_ones() -> None:
    endpoints = [NodeEndpoint(node_id=1, host="h", port=65_535)]
    encoded = encode(VoteResponse(node_endpoints=endpoints), 1)
    count = encoded.index(b"\x01\x00", 3)
    extended = encoded[:count] + b"\x02" + encoded[count + 1 :] + b"\x63\x03xyz"
    assert decode(VoteResponse, 1, extended) == (VoteResponse(node_endpoints=endpoints), len(extended))


def test_versions_without_a_field_leave_its_default() -> None:
    request = FetchRequest(max_bytes=5, rack_id="r", session_id=9)
    decoded, _ = decode(FetchRequest, 0, encode(request, 0))
    assert (decoded.max_bytes, decoded.rack_id, decoded.session_id) == (0x7FFFFFFF, "", 0)


def test_sasl_handshake_and_offset_delete_are_never_compact() -> None:
    assert encode(SaslHandshakeRequest(mechanism="PLAIN"), 1) == b"\x00\x05PLAIN"
    assert encode(OffsetDeleteRequest(group_id="g"), 0) == b"\x00\x01g\x00\x00\x00\x00"


def test_message_without_fields_is_empty_or_an_empty_tag_section() -> None:
    assert encode(ListGroupsRequest(), 0) == b""
    assert encode(ListGroupsRequest(), 3) == b"\x00"


def test_shared_default_struct_cannot_be_changed() -> None:
    partition = PartitionData()
    with pytest.raises(AttributeError, match="assign a new one"):
        partition.diverging_epoch.epoch = 3
    partition.diverging_epoch = EpochEndOffset(epoch=3, end_offset=7)
    assert PartitionData().diverging_epoch == EpochEndOffset()
    assert UpdateRaftVoterResponse().current_leader.host == ""


def test_uuid_is_sixteen_raw_bytes_and_zero_when_not_set() -> None:
    topic_id = uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")
    topics = [MetadataRequestTopic(topic_id=topic_id, name=None), MetadataRequestTopic(name="t")]
    encoded = encode(MetadataRequest(topics=topics), 12)
    assert encoded.startswith(b"\x03" + topic_id.bytes + b"\x00\x00" + bytes(16) + b"\x02t")
    assert decode(MetadataRequest, 12, encoded)[0].topics == topics
