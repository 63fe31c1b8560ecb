import socket

import pytest

from ottla.transport.byte_stream import PlainStream
from ottla.transport.write_queue import Flush, WriteQueue


@pytest.fixture
def pair():
    near, far = socket.socketpair()
    near.setblocking(False)
    far.settimeout(20)
    with near, far:
        yield near, far


def test_budget_stops_a_flush_before_the_socket_does(pair):
    near, far = pair
    queue = WriteQueue()
    queue.add([bytes(1000)])
    assert queue.flush(PlainStream(near), 300) is Flush.BUDGET_SPENT
    assert queue.unsent_bytes == 700
    assert queue.flush(PlainStream(near), 10_000) is Flush.DRAINED
    assert len(far.recv(2000, socket.MSG_WAITALL | socket.MSG_DONTWAIT)) == 1000


def test_full_socket_blocks_and_the_rest_follows_without_a_gap(pair):
    near, far = pair
    data = bytes(range(256)) * 20_000
    queue = WriteQueue()
    queue.add([data[:100], data[100:200], data[200:]])
    received = b""
    while (result := queue.flush(PlainStream(near), len(data))) is Flush.BLOCKED:
        received += far.recv(len(data))
    assert result is Flush.DRAINED
    while len(received) < len(data):
        received += far.recv(len(data))
    assert received == data


def test_more_chunks_than_one_call_takes_are_all_sent(pair):
    near, far = pair
    queue = WriteQueue()
    chunks = [b"%04d" % n for n in range(300)]
    queue.add(chunks)
    assert queue.flush(PlainStream(near), 1 << 20) is Flush.DRAINED
    assert far.recv(1200, socket.MSG_WAITALL) == b"".join(chunks)


def test_dropped_queue_is_empty_and_closes_its_sendables(sendable_file):
    queue = WriteQueue()
    sendable = sendable_file(b"data")
    queue.add([b"head", sendable])
    queue.drop()
    queue.drop()
    assert sendable.close_count == 1
    assert queue.unsent_bytes == 0


def test_a_socket_that_took_less_than_was_offered_is_not_asked_again_in_the_same_flush(pair, sendable_file):
    near, far = pair
    data = bytes(range(256)) * 20_000
    sendable = sendable_file(data)
    offers = []
    send_to = sendable.send_to
    sendable.send_to = lambda sock, start, count: offers.append(start) or send_to(sock, start, count)
    queue = WriteQueue()
    queue.add([sendable])
    flushes, received = 1, b""
    while queue.flush(PlainStream(near), len(data)) is Flush.BLOCKED:
        flushes += 1
        received += far.recv(len(data))
    while len(received) < len(data):
        received += far.recv(len(data))
    assert received == data
    assert len(offers) == flushes


def test_small_answers_leave_joined_in_order_with_what_stands_between_them(pair):
    near, far = pair
    queue = WriteQueue()
    others = bytearray(b"theirs")
    queue.add_small(b"a")
    queue.add_small(b"b")
    queue.add([b"-", others])
    queue.add_small(b"c")
    queue.add_small(b"d")
    assert queue.unsent_bytes == 11
    assert queue.flush(PlainStream(near), 1 << 20) is Flush.DRAINED
    queue.add_small(b"e")
    assert queue.flush(PlainStream(near), 1 << 20) is Flush.DRAINED
    assert far.recv(100, socket.MSG_WAITALL | socket.MSG_DONTWAIT) == b"ab-theirscde"
    assert others == b"theirs"


def test_small_answer_behind_one_that_is_half_sent_loses_nothing(pair):
    near, far = pair
    queue = WriteQueue()
    expected = b""
    received = b""
    for number in range(2_000):
        data = b"%07d" % number * 60
        expected += data
        queue.add_small(data)
        if number % 3 == 0:
            queue.flush(PlainStream(near), 1000)
        if number % 50 == 0:
            received += far.recv(1 << 20)
    while queue.flush(PlainStream(near), 1 << 20) is not Flush.DRAINED:
        received += far.recv(1 << 20)
    while len(received) < len(expected):
        received += far.recv(1 << 20)
    assert received == expected
    assert (queue.unsent_bytes, queue.sent_bytes) == (0, len(expected))
