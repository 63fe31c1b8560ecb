"""The receiving half of a connection, state by state, over a stream that gives what the test says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.clock import SystemClock
from ottla.errors import FrameError
from ottla.transport import ReceiveBuffer
from ottla.transport.chunk_writer import ChunkWriter
from ottla.transport.frame_reader import (
    BETWEEN_FRAMES,
    CLOSED,
    END_OF_STREAM,
    FRAME_ROOM_BYTES,
    FRAMES_PER_TURN_MAX,
    HOLDING,
    IN_FRAME,
    IN_PREFIX,
    FrameReader,
)
from support.connections import framed
from support.streams import RecordingDriver, ScriptedStream


class Gate:
    """Admits what the test says, and counts."""

    def __init__(self, *, starts: bool = True, grows: bool = True) -> None:
        self.starts, self.grows = starts, grows
        self.calls: list[str] = []

    def frame_started(self, size: int, api_key: int) -> bool:
        self.calls.append("started")
        return self.starts

    def frame_grows(self, size: int) -> bool:
        self.calls.append("grows")
        return self.grows

    def frame_finished(self) -> None:
        self.calls.append("finished")

    def frame_incomplete(self) -> None:
        self.calls.append("incomplete")

    def frames_handled(self) -> None:
        self.calls.append("handled")

    def drained(self) -> None:
        raise AssertionError("that is for the connection to say")


class Stage:
    def __init__(
        self,
        *,
        record_bytes: int = 1 << 20,
        buffer_bytes: int = 1000,
        gate: Gate | None = None,
        read_while_sending: bool = True,
        room: int = 1 << 30,
    ) -> None:
        self.stream = ScriptedStream(record_bytes=record_bytes, room=room)
        self.driver = RecordingDriver()
        self.frames: list[bytes] = []
        self.refuses = False
        self.response = b""
        self.writer = ChunkWriter(self.stream, self.driver, SystemClock())
        self.reader = FrameReader(
            self.stream,
            self.driver,
            self.writer,
            self._on_frame,
            receive_buffer=ReceiveBuffer(buffer_bytes),
            clock=SystemClock(),
            frame_size_max=10_000_000,
            gate=gate,
            read_while_sending=read_while_sending,
        )

    def _on_frame(self, frame: memoryview) -> bool:
        if self.refuses:
            return False
        self.frames.append(bytes(frame))
        if self.response:
            self.writer.send([self.response])
        return True

    def receive(self, data: bytes) -> None:
        self.stream.incoming += data
        self.reader.on_readable()

    def take_turns(self) -> None:
        while self.driver.turn_due:
            self.driver.turn_due = False
            self.reader.take_turn()


def test_between_frames_nothing_is_held():
    stage = Stage()
    stage.receive(framed(b"one!") + framed(b"two!"))
    assert (stage.frames, stage.reader.state) == ([b"one!", b"two!"], BETWEEN_FRAMES)
    assert stage.reader.started_at is None


@pytest.mark.parametrize("cut", range(1, 6))
def test_the_first_bytes_of_a_frame_are_a_prefix(cut: int):
    stage = Stage(gate=Gate())
    whole = framed(b"a frame")
    stage.receive(whole[:cut])
    assert (stage.frames, stage.reader.state) == ([], IN_PREFIX)
    assert stage.reader.started_at is not None
    stage.receive(whole[cut:])
    assert (stage.frames, stage.reader.state) == ([b"a frame"], BETWEEN_FRAMES)
    assert stage.reader.started_at is None


def test_an_incomplete_frame_has_a_buffer_of_its_own_and_the_gate_hears_of_its_end():
    gate = Gate()
    stage = Stage(gate=gate)
    whole = framed(bytes(3000))
    stage.receive(whole[:100])
    assert (stage.reader.state, stage.reader.filled_bytes, gate.calls) == (
        IN_FRAME,
        96,
        ["started", "incomplete", "handled"],
    )
    stage.receive(whole[100:])
    assert (stage.frames, stage.reader.state) == ([bytes(3000)], BETWEEN_FRAMES)
    assert gate.calls[3:] == ["finished", "handled"]


def test_a_frame_that_the_gate_refuses_waits_until_it_is_admitted():
    gate = Gate(starts=False)
    stage = Stage(gate=gate)
    whole = framed(bytes(3000))
    stage.receive(whole[:100])
    assert (stage.reader.state, stage.reader.paused) == (HOLDING, True)
    stage.reader.on_readable()
    assert not stage.driver.readable
    stage.reader.admit_frame()
    stage.take_turns()
    assert stage.reader.state is IN_FRAME
    stage.receive(whole[100:])
    assert (len(stage.frames), gate.calls.count("started"), gate.calls.count("finished")) == (1, 1, 1)


@pytest.mark.parametrize("grows", [True, False])
def test_a_frame_larger_than_its_room_asks_once_more(grows: bool):
    gate = Gate(grows=grows)
    stage = Stage(gate=gate, buffer_bytes=1 << 16)
    data = bytes(range(256)) * 4 * (FRAME_ROOM_BYTES // 256)
    stage.stream.incoming += framed(data)
    for _ in range(6):
        stage.reader.on_readable()
    if not grows:
        assert (stage.reader.paused, stage.reader.started_at, stage.frames) == (True, None, [])
        stage.reader.admit_frame()
    while not stage.frames:
        stage.reader.on_readable()
    assert stage.frames == [data]
    assert (gate.calls.count("grows"), gate.calls.count("finished")) == (1, 1)


def test_a_frame_that_is_not_taken_is_held_and_offered_again():
    stage = Stage()
    stage.refuses = True
    stage.receive(framed(b"one!") + framed(b"two!"))
    assert (stage.reader.state, stage.reader.paused, stage.frames) == (HOLDING, True, [])
    stage.refuses = False
    stage.reader.resume()
    assert stage.frames == []  # Not before the next turn: the caller is in any state.
    stage.take_turns()
    assert (stage.frames, stage.reader.state) == ([b"one!", b"two!"], BETWEEN_FRAMES)


def test_a_turn_hands_over_so_many_frames_and_holds_the_rest():
    stage = Stage(buffer_bytes=10_000)
    sent = [b"%04d" % n for n in range(FRAMES_PER_TURN_MAX + 10)]
    stage.receive(b"".join(map(framed, sent)))
    assert (len(stage.frames), stage.reader.state) == (FRAMES_PER_TURN_MAX, HOLDING)
    stage.take_turns()
    assert stage.frames == sent


def test_responses_of_one_read_leave_together():
    stage = Stage()
    stage.response = b"response"
    stage.receive(framed(b"one!") + framed(b"two!"))
    assert stage.stream.send_sizes == [16]


def test_a_server_hands_over_nothing_while_a_response_is_unsent():
    stage = Stage(read_while_sending=False, room=3)
    stage.response = b"response"
    stage.receive(framed(b"one!"))
    stage.receive(framed(b"two!"))
    assert (stage.frames, stage.driver.readable) == ([b"one!"], False)
    stage.stream.room = 100
    stage.writer.flush()
    stage.reader.read_on()
    assert stage.driver.readable
    stage.reader.on_readable()
    assert stage.frames == [b"one!", b"two!"]


def test_the_end_of_the_stream_and_a_wrong_size_close_the_connection():
    ended, wrong = Stage(), Stage()
    ended.stream.ended = True
    ended.reader.on_readable()
    assert ended.driver.close_reason == END_OF_STREAM
    wrong.receive(b"\xff\xff\xff\xff")
    assert isinstance(wrong.driver.close_reason, FrameError)


def test_nothing_is_handed_over_after_it_is_closed_and_the_gate_gets_its_frame_back():
    gate = Gate()
    stage = Stage(gate=gate)
    stage.receive(framed(bytes(3000))[:100])
    stage.reader.close()
    assert (stage.reader.state, gate.calls[-1]) == (CLOSED, "finished")
    stage.receive(framed(b"late"))
    stage.reader.resume()
    stage.reader.take_turn()
    assert stage.frames == []


# Streams that are more than a socket


def test_bytes_that_the_stream_has_pending_are_read_without_the_selector():
    """A TLS record of five frames, read into a buffer with room for one at a time."""
    sent = [bytes([n]) * 20 for n in range(5)]
    stage = Stage(buffer_bytes=24)
    stage.receive(b"".join(map(framed, sent)))
    assert stage.frames == sent[:1]
    assert stage.driver.turn_due
    stage.take_turns()
    assert stage.frames == sent
    assert stage.driver.readable


def test_pending_bytes_wait_while_reading_is_paused():
    sent = [bytes([n]) * 20 for n in range(3)]
    stage = Stage(buffer_bytes=24)
    stage.reader.pause()
    stage.reader.resume()
    stage.receive(b"".join(map(framed, sent)))
    stage.reader.pause()
    stage.take_turns()
    assert stage.frames == sent[:1]
    stage.reader.resume()
    stage.take_turns()
    assert stage.frames == sent


def test_a_stream_that_must_write_first_is_read_when_it_can():
    stage = Stage()
    stage.stream.wants_write = True
    stage.receive(framed(b"data"))
    assert (stage.driver.writable, stage.reader.waits_to_write) == (True, True)
    stage.reader.read_on()
    assert not stage.driver.turn_due  # The selector will say so: nobody asks on and on.
    stage.stream.wants_write = False
    stage.reader.on_writable()
    assert (stage.frames, stage.reader.waits_to_write) == ([b"data"], False)


def test_a_stream_that_must_write_first_is_not_forgotten_while_reading_is_paused():
    stage = Stage()
    stage.stream.wants_write = True
    stage.receive(framed(b"data"))
    stage.reader.pause()
    stage.reader.on_writable()
    stage.reader.resume()
    assert stage.driver.turn_due
    stage.stream.wants_write = False
    stage.take_turns()
    stage.reader.on_readable()
    assert stage.frames == [b"data"]


@given(
    st.lists(st.binary(min_size=4, max_size=90), min_size=1, max_size=12),
    st.integers(1, 50),
    st.integers(16, 64),
    st.integers(1, 120),
)
def test_any_records_of_a_stream_give_the_same_frames(
    sent: list[bytes], record_bytes: int, buffer_bytes: int, part_bytes: int
):
    stage = Stage(record_bytes=record_bytes, buffer_bytes=buffer_bytes, gate=Gate())
    data = b"".join(map(framed, sent))
    for start in range(0, len(data), part_bytes):
        stage.receive(data[start : start + part_bytes])
        stage.take_turns()
        while stage.stream.incoming:
            stage.reader.on_readable()
            stage.take_turns()
    assert stage.frames == sent
