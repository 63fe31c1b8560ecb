"""Every message in every version goes to bytes and comes back."""

import random

import pytest

from ottla.errors import DecodeError
from ottla.protocol import codec
from ottla.protocol.apis import API_INFOS, api_info
from ottla.protocol.codec import decode, encode, encode_chunks, prepare
from ottla.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from ottla.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from ottla.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from support.message_values import all_versions, random_message


class FakeSlice:
    """Stands for a range of a log file."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.data)

    def send_to(self, sock: object, start: int, count_max: int) -> int:
        raise NotImplementedError

    def read(self, start: int, count: int) -> bytes:
        return self.data[start : start + count]

    def close(self) -> None: ...


def fetch_response(*records: object) -> FetchResponse:
    partitions = [PartitionData(partition_index=index, records=value) for index, value in enumerate(records)]
    return FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=partitions)])


def test_every_message_and_version_round_trips() -> None:
    rng = random.Random(848)
    for message_class, version in all_versions():
        for _ in range(4):
            message = random_message(rng, message_class, version)
            data = encode(message, version)
            decoded, end = decode(message_class, version, b"\xff" * 3 + data + b"\xff", 3)
            assert (decoded, end) == (message, 3 + len(data)), (message_class.__name__, version)


def test_bytes_bytearray_and_memoryview_decode_alike() -> None:
    data = encode(MetadataRequest(topics=[MetadataRequestTopic(name="t")]), 9)
    assert decode(MetadataRequest, 9, data) == decode(MetadataRequest, 9, bytearray(data))
    assert decode(MetadataRequest, 9, data) == decode(MetadataRequest, 9, memoryview(data))


@pytest.mark.parametrize("version", [3, 9])
def test_records_are_a_slice_of_the_input_without_a_copy(version: int) -> None:
    partition = PartitionProduceData(index=1, records=b"batch")
    request = ProduceRequest(topic_data=[TopicProduceData(name="t", partition_data=[partition])])
    buffer = bytearray(encode(request, version))
    decoded, _ = decode(ProduceRequest, version, buffer)
    records = decoded.topic_data[0].partition_data[0].records
    assert isinstance(records, memoryview)
    assert bytes(records) == b"batch"
    records[0:1] = b"B"
    assert b"Batch" in buffer


@pytest.mark.parametrize("version", [4, 12, 16])
def test_fetch_response_with_files_is_written_as_chunks(version: int) -> None:
    first, second = FakeSlice(b"first"), FakeSlice(b"")
    chunks = encode_chunks(fetch_response(first, second, b"small", None), version)
    assert [type(chunk) for chunk in chunks] == [bytes, FakeSlice, bytes, FakeSlice, bytes]
    assert chunks[1] is first
    assert chunks[3] is second
    whole = b"".join(chunk.read(0, len(chunk)) if isinstance(chunk, FakeSlice) else chunk for chunk in chunks)
    assert whole == encode(fetch_response(b"first", b"", b"small", None), version)


def test_encode_reads_files() -> None:
    assert encode(fetch_response(FakeSlice(b"first")), 12) == encode(fetch_response(b"first"), 12)


def test_many_bytes_of_records_are_a_chunk_of_their_own() -> None:
    large = memoryview(b"x" * 5000)
    chunks = encode_chunks(fetch_response(b"small", large), 12)
    assert len(chunks) == 3
    assert chunks[1] is large


def test_prepare_leaves_nothing_of_the_hot_apis_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare()

    def refuse(*_: object) -> None:
        raise AssertionError("compiled after prepare")

    monkeypatch.setattr(codec, "compile_reader", refuse)
    monkeypatch.setattr(codec, "compile_writer", refuse)
    for key in codec.HOT_APIS:
        info = api_info(key)
        for version in range(info.versions[0], info.versions[1] + 1):
            codec.reader_for(info.request_class(), version)
            encode(info.response_class()(), version)


def test_versions_with_the_same_layout_share_a_reader() -> None:
    assert codec.reader_for(ProduceRequest, 9) is codec.reader_for(ProduceRequest, 12)
    assert codec.reader_for(ProduceRequest, 9) is not codec.reader_for(ProduceRequest, 13)


def test_unknown_version_of_a_known_api_is_a_decode_error() -> None:
    with pytest.raises(DecodeError, match="ProduceRequest has no version 99"):
        decode(ProduceRequest, 99, b"")


def test_decode_error_names_message_version_and_field() -> None:
    with pytest.raises(DecodeError, match=r"MetadataRequest v9: topics has length 99, but only 0 bytes are left"):
        decode(MetadataRequest, 9, b"\x64")


def test_all_apis_have_their_classes() -> None:
    for info in API_INFOS.values():
        assert info.request_class().API_KEY == info.response_class().API_KEY == info.api_key
