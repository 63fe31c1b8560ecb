"""What is packed without a message is what the response's writer makes of the message, in every version."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.protocol.codec import encode
from ottla.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from ottla.protocol.messages.produce import PartitionProduceResponse, ProduceResponse, TopicProduceResponse
from ottla.protocol.single_element import SingleElementPacker

int32s = st.integers(-(2**31), 2**31 - 1)
int64s = st.integers(-(2**63), 2**63 - 1)
names = st.text("abcä.-_", max_size=10) | st.text("t", min_size=125, max_size=130) | st.just("\x11\x22" * 9)
topic_ids = st.uuids() | st.sampled_from([b"\x11", b"\x22", b"\0"]).map(lambda byte: uuid.UUID(bytes=byte * 16))
records = st.binary(max_size=40) | st.sampled_from([0, 126, 127, 128, 4000]).map(bytes)

PRODUCE_FIELDS = ("index", "base_offset", "log_append_time_ms", "log_start_offset", "throttle_time_ms")
FETCH_FIELDS = (
    *("throttle_time_ms", "session_id", "partition_index"),
    *("high_watermark", "last_stable_offset", "log_start_offset"),
)


@given(st.sampled_from(ProduceResponse.VERSIONS), names, topic_ids, st.tuples(int32s, int64s, int64s, int64s, int32s))
def test_produce_responses(version: int, name: str, topic_id: uuid.UUID, values: tuple[int, ...]) -> None:
    def response(*numbers: int) -> ProduceResponse:
        fields = dict(zip(PRODUCE_FIELDS, numbers, strict=True))
        throttle_time_ms = fields.pop("throttle_time_ms")
        topic = TopicProduceResponse(
            name=name, topic_id=topic_id, partition_responses=[PartitionProduceResponse(**fields)]
        )
        return ProduceResponse(throttle_time_ms=throttle_time_ms, responses=[topic])

    packer = SingleElementPacker(ProduceResponse, version, PRODUCE_FIELDS)
    template = packer.template(response(0, 0, 0, 0, 0))
    assert packer.pack(template, *values) == encode(response(*values), version)


@pytest.mark.parametrize("aborted", [None, []])
@given(
    version=st.sampled_from(FetchResponse.VERSIONS),
    name=names,
    topic_id=topic_ids,
    values=st.tuples(int32s, int32s, int32s, int64s, int64s, int64s),
    data=records,
)
def test_fetch_responses(
    aborted: list[object] | None, version: int, name: str, topic_id: uuid.UUID, values: tuple[int, ...], data: bytes
) -> None:
    def response(*numbers: int, records: bytes = b"") -> FetchResponse:
        fields = dict(zip(FETCH_FIELDS, numbers, strict=True))
        top = {key: fields.pop(key) for key in FETCH_FIELDS[:2]}
        part = PartitionData(**fields, aborted_transactions=aborted, records=records)
        topic = FetchableTopicResponse(topic=name, topic_id=topic_id, partitions=[part])
        return FetchResponse(**top, responses=[topic])

    packer = SingleElementPacker(FetchResponse, version, FETCH_FIELDS, "records")
    template = packer.template(response(0, 0, 0, 0, 0, 0))
    assert packer.pack(template, *values, data) == encode(response(*values, records=data), version)
