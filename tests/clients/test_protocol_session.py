"""The client's protocol without a socket: bytes in, messages out, whatever the other side sends."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.clients.api_versions import VersionRange
from ottla.clients.protocol_session import (
    CORRELATION_ID_MAX,
    FrameReceiver,
    HandshakeRequest,
    ProtocolSession,
)
from ottla.errors import DecodeError
from ottla.errors.kafka import UnsupportedVersionError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import encode
from ottla.protocol.headers import decode_request_header, encode_response_header
from ottla.protocol.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from ottla.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse

HEARTBEAT_VERSION = 4


class Sent(NamedTuple):
    api_key: int
    version: int
    correlation_id: int


def send(session: ProtocolSession, request: Any, version: int, context: Any = None) -> Sent:
    chunks, size = session.send(request.API_KEY, version, [encode(request, version)], context)
    frame = b"".join(chunks)
    assert len(frame) == size
    assert int.from_bytes(frame[:4]) == size - 4
    return Sent(*decode_request_header(frame[4:])[0][:3])


def response_to(sent: Sent, message: Any, version: int | None = None) -> memoryview:
    version = sent.version if version is None else version
    return memoryview(
        encode_response_header(sent.api_key, sent.version, sent.correlation_id) + encode(message, version)
    )


def known(*ranges: tuple[int, int, int]) -> list[ApiVersion]:
    return [ApiVersion(api_key=key, min_version=first, max_version=last) for key, first, last in ranges]


def exchange(session: ProtocolSession, step: HandshakeRequest, message: Any, version: int | None = None) -> Any:
    """What follows when the broker responds with `message` to a request of the handshake."""
    _, response = session.receive(response_to(send(session, step.request, step.version), message, version))
    return session.advance_handshake(response)


def ready_session() -> ProtocolSession:
    session = ProtocolSession("me")
    assert exchange(session, session.begin_handshake(), ApiVersionsResponse(api_keys=known((12, 0, 4)))) is None
    return session


def test_session_is_ready_when_the_broker_has_said_what_it_speaks():
    session = ProtocolSession("me")
    first = session.begin_handshake()
    assert isinstance(first.request, ApiVersionsRequest)
    assert (first.version, session.is_ready) == (3, False)
    assert exchange(session, first, ApiVersionsResponse(api_keys=known((12, 1, 3)))) is None
    assert session.is_ready
    assert session.versions[ApiKey.HEARTBEAT] == VersionRange(1, 3)
    assert session.version_of(ApiKey.HEARTBEAT) == 3


@pytest.mark.parametrize(("last", "asked_again"), [(0, 0), (2, 2), (9, 3)])
def test_broker_that_does_not_know_the_version_is_asked_again_in_its_own(last: int, asked_again: int):
    session = ProtocolSession("me")
    first = session.begin_handshake()
    refused = ApiVersionsResponse(error_code=35, api_keys=known((18, 0, last)))
    second = exchange(session, first, refused, version=0)
    assert second.version == asked_again
    assert exchange(session, second, ApiVersionsResponse(api_keys=known((18, 0, last), (3, 0, 5)))) is None
    assert session.version_of(ApiKey.METADATA) == 5


def test_broker_that_refuses_without_naming_a_version_is_asked_in_version_0():
    session = ProtocolSession("me")
    second = exchange(session, session.begin_handshake(), ApiVersionsResponse(error_code=35), version=0)
    assert second.version == 0
    assert exchange(session, second, ApiVersionsResponse(error_code=35)) is None
    with pytest.raises(UnsupportedVersionError, match="does not serve METADATA"):
        session.version_of(ApiKey.METADATA)


def test_a_step_that_authenticates_comes_after_the_versions_and_before_the_first_request():
    class Authenticate:
        """Two exchanges, as SASL has."""

        def __init__(self) -> None:
            self.responses: list[int] = []

        def begin(self, session: ProtocolSession) -> HandshakeRequest:
            assert session.version_of(ApiKey.HEARTBEAT) == HEARTBEAT_VERSION
            return HandshakeRequest(HeartbeatRequest(group_id="first"), HEARTBEAT_VERSION)

        def advance(self, session: ProtocolSession, response: Any) -> HandshakeRequest | None:
            self.responses.append(response.error_code)
            return HandshakeRequest(HeartbeatRequest(group_id="second"), 4) if len(self.responses) == 1 else None

    class Nothing:
        def begin(self, session: ProtocolSession) -> None:
            return None

        def advance(self, session: ProtocolSession, response: Any) -> None:
            raise AssertionError("it asked nothing")

    step = Authenticate()
    session = ProtocolSession("me", authentication=(Nothing(), step))
    first = exchange(session, session.begin_handshake(), ApiVersionsResponse(api_keys=known((12, 0, 4))))
    assert first.request.group_id == "first"
    second = exchange(session, first, HeartbeatResponse(error_code=1))
    assert second.request.group_id == "second"
    assert not session.is_ready
    assert exchange(session, second, HeartbeatResponse(error_code=2)) is None
    assert (step.responses, session.is_ready) == ([1, 2], True)


def test_responses_belong_to_the_requests_in_the_order_of_sending():
    session = ready_session()
    sent = [send(session, HeartbeatRequest(group_id="g"), 4, context=n) for n in range(5)]
    for n, asked in enumerate(sent):
        request, message = session.receive(response_to(asked, HeartbeatResponse(error_code=n)))
        assert (request.context, message.error_code) == (n, n)
    assert not session.in_flight


def test_a_response_out_of_order_is_refused_and_the_request_stays_in_flight():
    session = ready_session()
    first, second = (send(session, HeartbeatRequest(group_id="g"), 4) for _ in range(2))
    with pytest.raises(DecodeError, match=f"answer {second.correlation_id} where {first.correlation_id} was expected"):
        session.receive(response_to(second, HeartbeatResponse()))
    assert [request.correlation_id for request in session.end()] == [first.correlation_id, second.correlation_id]
    assert not session.in_flight


def test_a_response_that_nobody_asked_for_is_refused():
    session = ready_session()
    with pytest.raises(DecodeError, match="nobody asked"):
        session.receive(memoryview(bytes(8)))


def test_a_request_without_response_is_not_in_flight():
    session = ready_session()
    session.send(ApiKey.PRODUCE, 9, [b"body"], expect_response=False)
    asked = send(session, HeartbeatRequest(group_id="g"), 4, context="second")
    assert session.receive(response_to(asked, HeartbeatResponse()))[0].context == "second"


def test_bytes_behind_a_response_are_refused():
    session = ready_session()
    asked = send(session, HeartbeatRequest(group_id="g"), 4)
    with pytest.raises(DecodeError, match="3 bytes left over behind the answer to HEARTBEAT"):
        session.receive(memoryview(bytes(response_to(asked, HeartbeatResponse())) + b"abc"))


def test_correlation_ids_begin_again_at_zero():
    session = ProtocolSession("me", first_correlation_id=CORRELATION_ID_MAX)
    ids = [send(session, HeartbeatRequest(group_id="g"), 4).correlation_id for _ in range(2)]
    assert ids == [CORRELATION_ID_MAX, 0]


@given(st.binary(max_size=60), st.booleans())
def test_garbage_is_a_decode_error_or_a_response_and_nothing_else(garbage: bytes, with_correlation_id: bool):
    session = ProtocolSession("me")
    step = session.begin_handshake()
    sent = send(session, step.request, step.version)
    prefix = sent.correlation_id.to_bytes(4) if with_correlation_id else b""
    try:
        _, response = session.receive(memoryview(prefix + garbage))
    except DecodeError:
        assert len(session.in_flight) == 1
    else:
        assert isinstance(response, ApiVersionsResponse)


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=8), st.data())
def test_any_split_of_the_stream_gives_the_same_frames(messages: list[bytes], data: st.DataObject):
    stream = b"".join(len(message).to_bytes(4) + message for message in messages)
    receiver = FrameReceiver()
    frames, position = [], 0
    while position < len(stream):
        room = receiver.room()
        count = min(data.draw(st.integers(1, 100)), len(room), len(stream) - position)
        room[:count] = stream[position : position + count]
        position += count
        frame = receiver.received(count)
        if frame is not None:
            frames.append(bytes(frame))
    assert frames == messages


def test_a_frame_larger_than_the_buffer_is_received_whole():
    receiver = FrameReceiver()
    message = bytes(range(256)) * 1000
    stream = len(message).to_bytes(4) + message
    position = 0
    frame = None
    while frame is None:
        room = receiver.room()
        room[:] = stream[position : position + len(room)]
        position += len(room)
        frame = receiver.received(len(room))
    assert frame == message


def test_a_negative_size_is_a_decode_error():
    receiver = FrameReceiver()
    receiver.room()[:] = b"\xff\xff\xff\xff"
    with pytest.raises(DecodeError, match="-1 bytes"):
        receiver.received(4)
