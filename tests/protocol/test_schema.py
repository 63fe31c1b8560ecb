import subprocess
import sys
import uuid

import pytest

from ottla.protocol.field import parse_versions
from ottla.protocol.message import Struct
from ottla.protocol.messages.consumer_group_describe import Member
from ottla.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatResponse
from ottla.protocol.messages.create_topics import CreateTopicsRequest
from ottla.protocol.messages.metadata import MetadataRequest, MetadataResponse, MetadataResponseTopic
from ottla.protocol.messages.produce import ProduceRequest, TopicProduceData
from support.message_values import all_message_classes


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [("0+", [0, 1, 32767], [-1]), ("3-5", [3, 4, 5], [2, 6]), ("7", [7], [6, 8]), ("none", [], [0, 1])],
)
def test_versions_are_parsed(text: str, inside: list[int], outside: list[int]) -> None:
    versions = parse_versions(text)
    assert all(version in versions for version in inside)
    assert not any(version in versions for version in outside)


def test_what_is_not_given_has_kafkas_default() -> None:
    request = CreateTopicsRequest()
    assert (request.topics, request.timeout_ms, request.validate_only) == ([], 60000, False)
    response = MetadataResponse()
    assert (response.cluster_id, response.controller_id, response.cluster_authorized_operations) == (
        None,
        -1,
        -2147483648,
    )
    assert MetadataResponseTopic().topic_id == uuid.UUID(int=0)
    assert ConsumerGroupHeartbeatResponse().assignment is None


def test_unknown_keyword_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="acknowledgements"):
        ProduceRequest(acknowledgements=1)
    with pytest.raises(TypeError, match="acknowledgements"):
        ProduceRequest(acknowledgements=1)  # also once the constructor is compiled


def test_unknown_attribute_cannot_be_set() -> None:
    with pytest.raises(AttributeError):
        ProduceRequest().acknowledgements = 1


def test_every_message_has_its_own_lists() -> None:
    first, second = ProduceRequest(), ProduceRequest()
    first.topic_data.append(TopicProduceData())
    assert second.topic_data == []


def test_struct_with_a_list_is_not_shared() -> None:
    first, second = Member(), Member()
    assert first.assignment is not second.assignment
    assert first.assignment is not first.target_assignment


def test_messages_are_equal_when_their_fields_are() -> None:
    assert MetadataRequest(topics=None) == MetadataRequest(topics=None)
    assert MetadataRequest(topics=None) != MetadataRequest(topics=[])
    assert MetadataRequest() != CreateTopicsRequest()
    assert MetadataRequest() != "MetadataRequest"


def test_repr_shows_the_fields() -> None:
    assert repr(TopicProduceData(name="t")).startswith("TopicProduceData(name='t', topic_id=UUID(")


def test_messages_cannot_be_hashed() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(MetadataRequest())


def test_fields_are_slots_and_messages_have_no_dictionary() -> None:
    for message_class in all_message_classes():
        pending: list[type[Struct]] = [message_class]
        while pending:
            struct_class = pending.pop()
            assert not hasattr(struct_class(), "__dict__"), struct_class
            pending += [field.element for field in struct_class.FIELDS if isinstance(field.element, type)]


def test_importing_the_codec_imports_no_message() -> None:
    program = (
        "import sys, ottla.protocol.codec, ottla.protocol.headers;"
        "print([name for name in sys.modules if name.startswith('ottla.protocol.messages')])"
    )
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "[]"
