"""The sending half of a connection, state by state, over a stream that takes what the test says."""

import pytest

from ottla.clock import SystemClock
from ottla.transport.chunk_writer import (
    BLOCKED,
    CLOSED,
    COLLECTING,
    NEXT_TURN,
    READY,
    SEND_BYTES_PER_TURN_MAX,
    ChunkWriter,
)
from support.streams import RecordingDriver, ScriptedStream


class Stage:
    def __init__(self, room: int = 1 << 30) -> None:
        self.stream = ScriptedStream(room=room)
        self.driver = RecordingDriver()
        self.writer = ChunkWriter(self.stream, self.driver, SystemClock())


def test_what_is_sent_when_ready_leaves_at_once():
    stage = Stage()
    stage.writer.send([b"one", b"two"])
    stage.writer.send_small(b"three")
    assert stage.stream.sent == b"onetwothree"
    assert (stage.writer.state, stage.writer.progress_at, stage.driver.drained_count) == (READY, None, 0)


def test_what_is_collected_leaves_in_one_piece_at_the_end():
    stage = Stage()
    stage.writer.begin_collecting()
    stage.writer.send([b"one"])
    stage.writer.send_small(b"two")
    assert (stage.writer.state, stage.stream.sent) == (COLLECTING, b"")
    stage.writer.end_collecting()
    assert (stage.writer.state, stage.stream.send_sizes) == (READY, [6])


def test_a_stream_that_takes_no_more_is_waited_for():
    stage = Stage(room=4)
    stage.writer.send([b"sixteen bytes..."])
    assert (stage.writer.state, stage.driver.writable) == (BLOCKED, True)
    stage.stream.room = 100
    stage.writer.send([b"behind it"])
    assert stage.stream.sent == b"sixt"
    stage.writer.flush()
    assert stage.stream.sent == b"sixteen bytes...behind it"
    assert (stage.writer.state, stage.driver.writable, stage.driver.drained_count) == (READY, False, 1)


def test_what_is_over_the_budget_waits_for_the_next_turn():
    stage = Stage()
    stage.writer.send([bytes(SEND_BYTES_PER_TURN_MAX + 1)])
    assert (stage.writer.state, stage.driver.turn_due, stage.driver.writable) == (NEXT_TURN, True, False)
    assert len(stage.stream.sent) == SEND_BYTES_PER_TURN_MAX
    stage.writer.flush()
    assert (stage.writer.state, stage.driver.drained_count) == (READY, 1)


def test_a_backlog_does_not_collect():
    stage = Stage(room=1)
    stage.writer.send([b"ab"])
    stage.writer.begin_collecting()
    stage.writer.end_collecting()
    assert stage.writer.state is BLOCKED


def test_a_blocked_stream_that_spends_the_budget_stays_watched():
    stage = Stage(room=1)
    stage.writer.send([bytes(2 * SEND_BYTES_PER_TURN_MAX)])
    stage.stream.room = 1 << 30
    stage.writer.flush()
    assert (stage.writer.state, stage.driver.writable, stage.driver.turn_due) == (BLOCKED, True, False)


def test_finish_closes_when_the_backlog_has_left_and_takes_nothing_more(sendable_file):
    stage = Stage(room=1)
    stage.writer.send([b"ab"])
    stage.writer.finish("done")
    late = sendable_file(b"late")
    stage.writer.send([late])
    stage.writer.send_small(b"late")
    assert (stage.driver.close_reason, late.close_count) == (None, 1)
    stage.stream.room = 10
    stage.writer.flush()
    assert (stage.driver.close_reason, stage.stream.sent) == ("done", b"ab")
    assert stage.driver.drained_count == 0


def test_finish_closes_at_once_when_nothing_is_unsent():
    stage = Stage()
    stage.writer.finish("done")
    assert stage.driver.close_reason == "done"


def test_an_error_of_the_stream_closes_the_connection():
    stage = Stage()

    def fail(*_: object) -> int:
        raise ConnectionResetError("gone")

    stage.stream.send = fail
    stage.writer.send([b"data"])
    assert isinstance(stage.driver.close_reason, ConnectionResetError)


def test_what_is_unsent_when_it_is_closed_is_dropped(sendable_file):
    stage = Stage(room=1)
    unsent, late = sendable_file(b"unsent"), sendable_file(b"late")
    stage.writer.send([b"ab", unsent])
    stage.writer.close()
    stage.writer.send([late])
    assert (stage.writer.state, stage.writer.queue.unsent_bytes) == (CLOSED, 0)
    assert (unsent.close_count, late.close_count, stage.stream.sent) == (1, 1, b"a")


@pytest.mark.parametrize("room", [1 << 30, 100_000])
def test_without_sendfile_a_sendable_is_read_and_sent_in_pieces(sendable_file, room: int):
    data = bytes(range(256)) * 1000
    stage = Stage(room=room)
    sendable = sendable_file(data)
    sendable.send_to = None  # Whoever calls it fails.
    stage.writer.send([b"head", sendable, b"tail"])
    while stage.writer.state is not READY:
        stage.stream.room = room
        stage.writer.flush()
    assert stage.stream.sent == b"head" + data + b"tail"
    assert max(stage.stream.send_sizes) <= 64 * 1024
    assert sendable.close_count == 1


def test_without_sendfile_data_that_ends_too_early_closes_the_connection(sendable_file):
    stage = Stage()
    sendable = sendable_file(b"1234", announced_bytes=100)
    stage.writer.send([sendable])
    stage.writer.flush()
    assert isinstance(stage.driver.close_reason, ConnectionAbortedError)
    assert stage.stream.sent == b"1234"
