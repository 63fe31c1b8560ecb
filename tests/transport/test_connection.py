import asyncio
import random
import socket
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.clock import SystemClock
from ottla.errors import FrameError
from ottla.transport import Connection, ReceiveBuffer, open_connection
from ottla.transport.connection import END_OF_STREAM, FRAMES_PER_TURN_MAX
from ottla.transport.receive_buffer import RECEIVE_BYTES
from support.connections import Received, connected, framed
from support.streams import ManualLoop, ScriptedStream


def run(scenario) -> None:
    asyncio.run(asyncio.wait_for(scenario, 60))


def messages_of(sizes: list[int]) -> list[bytes]:
    return [random.Random(n).randbytes(size) for n, size in enumerate(sizes)]


def test_frames_in_one_read_are_handed_over_one_by_one():
    async def scenario():
        async with connected() as (_, peer, received):
            sent = messages_of([4, 10, 100])
            await peer.send(b"".join(map(framed, sent)))
            assert await received.wait_for_frames(3) == sent

    run(scenario())


def test_frame_sent_byte_by_byte_arrives_whole():
    async def scenario():
        async with connected() as (_, peer, received):
            peer.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sent = messages_of([64, 5])
            for byte in b"".join(map(framed, sent)):
                await peer.send(bytes([byte]))
            assert await received.wait_for_frames(2) == sent

    run(scenario())


def test_frames_larger_than_the_shared_buffer_arrive_whole():
    async def scenario():
        async with connected() as (_, peer, received):
            sent = messages_of([RECEIVE_BYTES - 4, RECEIVE_BYTES, 3_000_000, 7, RECEIVE_BYTES + 1])
            await peer.send(b"".join(map(framed, sent)))
            assert await received.wait_for_frames(5) == sent

    run(scenario())


def test_thousands_of_small_frames_take_several_turns_and_keep_their_order():
    async def scenario():
        async with connected() as (_, peer, received):
            sent = [struct.pack(">i", n) for n in range(FRAMES_PER_TURN_MAX * 40)]
            await peer.send(b"".join(map(framed, sent)))
            assert await received.wait_for_frames(len(sent)) == sent

    run(scenario())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.binary(min_size=4, max_size=90), min_size=1, max_size=12),
    st.lists(st.integers(1, 120), min_size=1, max_size=30),
    st.integers(16, 64),
)
def test_any_split_of_the_stream_gives_the_same_frames(sent: list[bytes], cuts: list[int], buffer_size: int):
    async def scenario():
        async with connected(receive_buffer=ReceiveBuffer(buffer_size)) as (_, peer, received):
            peer.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            stream = b"".join(map(framed, sent))
            position = 0
            for cut in cuts:
                await peer.send(stream[position : position + cut])
                await asyncio.sleep(0)
                position += cut
            await peer.send(stream[position:])
            assert await received.wait_for_frames(len(sent)) == sent

    run(scenario())


@pytest.mark.parametrize("size", [-1, -(2**31), 0, 3, 1001, 2**31 - 1])
def test_impossible_frame_size_closes_before_anything_is_allocated(size: int):
    async def scenario():
        async with connected(frame_size_max=1000) as (_, peer, received):
            await peer.send(struct.pack(">i", size))
            assert await peer.at_end()
            assert isinstance(await received.closed, FrameError)
            assert received.frames == []

    run(scenario())


def test_frame_of_exactly_the_maximum_size_is_taken():
    async def scenario():
        async with connected(frame_size_max=1000) as (_, peer, received):
            await peer.send(framed(bytes(1000)))
            assert await received.wait_for_frames(1) == [bytes(1000)]

    run(scenario())


def test_end_of_stream_closes_once_even_in_the_middle_of_a_frame():
    async def scenario():
        async with connected() as (connection, peer, received):
            await peer.send(framed(bytes(5000))[:4000])
            peer.sock.close()
            assert await received.closed == END_OF_STREAM
            connection.close("again")
            assert received.close_count == 1

    run(scenario())


def test_bug_in_the_frame_callback_ends_that_connection_only(caplog):
    def fail(_: memoryview) -> None:
        raise ZeroDivisionError("bug")

    async def scenario():
        async with connected() as (_, other_peer, other), connected(on_frame=fail) as (_, peer, received):
            await peer.send(framed(bytes(10)))
            assert await peer.at_end()
            assert isinstance(await received.closed, ZeroDivisionError)
            await other_peer.send(framed(b"alive"))
            assert await other.wait_for_frames(1) == [b"alive"]

    run(scenario())
    assert "ZeroDivisionError" in caplog.text


def test_paused_connection_hands_over_nothing_until_it_is_resumed():
    async def scenario():
        received = Received()
        async with connected(received) as (connection, peer, _):
            connection.pause_reading()
            await peer.send(framed(b"one!") + framed(b"two!"))
            async with connected() as (_, other_peer, other):
                await other_peer.send(framed(b"other"))
                await other.wait_for_frames(1)
            assert received.frames == []
            connection.resume_reading()
            assert await received.wait_for_frames(2) == [b"one!", b"two!"]

    run(scenario())


def test_refused_frame_is_offered_again_after_resume():
    offers: list[bytes] = []
    taken: list[bytes] = []

    async def scenario():
        refuse_once = {b"two!"}

        def on_frame(frame: memoryview) -> bool:
            offers.append(bytes(frame))
            if bytes(frame) in refuse_once:
                refuse_once.clear()
                loop.call_soon(connection.resume_reading)
                return False
            taken.append(bytes(frame))
            if bytes(frame) == b"end!":
                done.set()
            return True

        loop = asyncio.get_running_loop()
        done = asyncio.Event()
        async with connected(on_frame=on_frame) as (connection, peer, _):
            await peer.send(b"".join(map(framed, [b"one!", b"two!", b"3333", b"end!"])))
            await asyncio.wait_for(done.wait(), 20)

    run(scenario())
    assert taken == [b"one!", b"two!", b"3333", b"end!"]
    assert offers == [b"one!", b"two!", b"two!", b"3333", b"end!"]


def test_bytes_and_sendables_leave_in_order_and_each_sendable_is_closed_once(sendable_file):
    async def scenario():
        async with connected() as (connection, peer, _):
            big, small, empty = sendable_file(b"B" * 3_000_000), sendable_file(b"s" * 10), sendable_file(b"")
            chunks = [b"head", big, b"", b"between", b"and", empty, small, bytearray(b"tail"), memoryview(b"!")]
            connection.send(chunks)
            wanted = b"head" + b"B" * 3_000_000 + b"betweenand" + b"s" * 10 + b"tail!"
            assert await peer.receive(len(wanted)) == wanted
            assert [s.close_count for s in (big, small, empty)] == [1, 1, 1]
            assert connection.unsent_bytes == 0

    run(scenario())


def test_large_bytes_arrive_whole_over_many_turns():
    async def scenario():
        async with connected() as (connection, peer, _):
            data = random.Random(1).randbytes(20_000_000)
            connection.send([data[:7], data[7:]])
            connection.send([b"after"])
            assert await peer.receive(len(data) + 5) == data + b"after"

    run(scenario())


def test_close_drops_what_is_unsent_and_closes_its_sendables(sendable_file):
    async def scenario():
        async with connected() as (connection, _, received):
            sendable = sendable_file(b"x" * 30_000_000)
            connection.send([b"head", sendable])
            assert sendable.close_count == 0
            connection.close("enough")
            late = sendable_file(b"late")
            connection.send([late])
            assert (sendable.close_count, late.close_count) == (1, 1)
            assert await received.closed == "enough"

    run(scenario())


def test_finish_closes_after_the_last_byte_has_been_sent(sendable_file):
    async def scenario():
        async with connected() as (connection, peer, received):
            connection.send([sendable_file(b"x" * 10_000_000)])
            connection.finish("done")
            connection.send([b"too late"])
            assert await peer.receive(10_000_000) == b"x" * 10_000_000
            assert await peer.at_end()
            assert await received.closed == "done"

    run(scenario())


def test_finish_inside_a_frame_callback_still_sends_the_answer():
    async def scenario():
        def on_frame(_: memoryview) -> None:
            connection.send([b"answer"])
            connection.finish("refused")

        async with connected(on_frame=on_frame) as (connection, peer, received):
            await peer.send(framed(b"hello"))
            assert await peer.receive(6) == b"answer"
            assert await peer.at_end()
            assert await received.closed == "refused"

    run(scenario())


def test_data_that_ends_before_its_announced_length_closes_the_connection(sendable_file):
    async def scenario():
        async with connected() as (connection, peer, received):
            sendable = sendable_file(b"1234", announced_bytes=100)
            connection.send([sendable])
            assert await peer.receive(4) == b"1234"
            assert await peer.at_end()
            assert isinstance(await received.closed, ConnectionAbortedError)
            assert sendable.close_count == 1

    run(scenario())


def test_server_handles_no_frame_while_an_answer_is_unsent():
    """A peer that sends requests and never reads: one answer waits, the rest of its requests stays in the kernel."""
    handled: list[int] = []
    answer = framed(bytes(6_000_000))

    async def scenario():
        def on_frame(frame: memoryview) -> None:
            handled.append(struct.unpack(">i", frame)[0])
            connection.send([answer])

        async with connected(on_frame=on_frame, read_while_sending=False) as (connection, peer, _):
            sent = b"".join(framed(struct.pack(">i", n)) for n in range(5))
            await peer.send(sent)
            assert await peer.receive(4) == answer[:4]
            assert connection.unsent_bytes <= len(answer)
            assert handled == [0]
            assert len(await peer.receive(5 * len(answer) - 4)) == 5 * len(answer) - 4

    run(scenario())
    assert handled == [0, 1, 2, 3, 4]


def test_greedy_reader_does_not_starve_another_connection(sendable_file):
    """While one connection has a file to send that its peer takes as fast as it can, others are answered each turn."""

    async def scenario():
        loop = asyncio.get_running_loop()
        async with connected() as (greedy, greedy_peer, _):
            size = 64_000_000
            sendable = sendable_file(bytes(size))
            sink = bytearray(1 << 20)
            got = 0

            def drain() -> None:
                nonlocal got
                try:
                    got += greedy_peer.sock.recv_into(sink)
                except BlockingIOError:
                    return
                if got == size:
                    loop.remove_reader(greedy_peer.sock)
                    drained.set()

            drained = asyncio.Event()
            loop.add_reader(greedy_peer.sock, drain)
            greedy.send([sendable])
            async with connected(on_frame=lambda frame: echo.send([framed(bytes(frame))])) as (echo, peer, _):
                rounds = 0
                while not drained.is_set():
                    await peer.send(framed(b"ping"))
                    assert await peer.receive_frame() == b"ping"
                    rounds += 1
            assert rounds >= 5
            assert sendable.close_count == 1

    run(scenario())


def test_client_end_sends_and_receives_the_same_way():
    async def scenario():
        received = Received()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            client = await open_connection(
                "localhost",
                listener.getsockname()[1],
                received.on_frame,
                received.on_closed,
                receive_buffer=ReceiveBuffer(),
                clock=SystemClock(),
            )
            sock, _ = listener.accept()
        with sock:
            client.send([framed(b"request")])
            assert sock.recv(100) == framed(b"request")
            sock.sendall(framed(b"answer") + framed(b"x" * 200_000))
            assert await received.wait_for_frames(2) == [b"answer", b"x" * 200_000]
        assert await received.closed == END_OF_STREAM

    run(scenario())


def test_connecting_to_a_port_where_nobody_listens_raises():
    async def scenario():
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
            with pytest.raises(ConnectionRefusedError):
                await open_connection(
                    "127.0.0.1",
                    port,
                    lambda frame: None,
                    lambda reason: None,
                    receive_buffer=ReceiveBuffer(),
                    clock=SystemClock(),
                )

    run(scenario())


class OverStream:
    """A started Connection over a stream that is more than a socket, on a loop that the test turns."""

    def __init__(self, stream: ScriptedStream) -> None:
        self.stream, self.loop = stream, ManualLoop()
        self.frames: list[bytes] = []
        self.reasons: list[object] = []
        parts = {"receive_buffer": ReceiveBuffer(32), "clock": SystemClock()}
        self.connection = Connection(stream, self.loop, self._on_frame, self.reasons.append, **parts)
        self.connection.start()

    def _on_frame(self, frame: memoryview) -> None:
        self.frames.append(bytes(frame))
        self.connection.send([framed(bytes(frame))])


def test_what_a_stream_has_pending_is_handed_over_though_the_selector_is_silent():
    over = OverStream(ScriptedStream())
    sent = [b"%028d" % n for n in range(6)]
    over.stream.incoming += b"".join(map(framed, sent))
    over.loop.reader()
    assert len(over.frames) < len(sent)
    assert over.loop.run_turns() >= len(sent) - 1
    assert over.frames == sent
    assert over.stream.sent == b"".join(map(framed, sent))


def test_a_stream_that_must_write_before_it_reads_is_watched_for_that():
    over = OverStream(ScriptedStream())
    over.stream.wants_write = True
    over.stream.incoming += framed(b"data")
    over.loop.reader()
    assert over.loop.writer is not None
    over.connection.send([b"meanwhile"])
    assert over.loop.writer is not None
    over.stream.wants_write = False
    over.loop.writer()
    assert (over.frames, over.loop.writer) == ([b"data"], None)
    assert over.loop.reader is not None


def test_a_closed_connection_watches_nothing_whatever_its_stream_wanted():
    over = OverStream(ScriptedStream(room=0))
    over.stream.wants_write = True
    over.loop.reader()
    over.connection.send([b"unsent"])
    over.connection.close("enough")
    assert (over.loop.reader, over.loop.writer, over.reasons, over.stream.closed) == (None, None, ["enough"], True)
