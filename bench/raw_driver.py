"""A bare socket with frames that were built before: where a real client would be the limit, not the broker.

Every function is one measured conversation. It checks what it gets at the end of it: an answer with an error would be
quick, and worth nothing. Its own CPU is in what it returns (`Meter.costs`), so that it is seen not to be the limit.
"""

import contextlib
import socket
import time
from collections.abc import Callable, Iterator

from bench import frames
from bench.processes import Meter

RECEIVE_BYTES = 1 << 20
RETRY_S = 0.002


def connect(port: int) -> socket.socket:
    sock = socket.create_connection(("127.0.0.1", port))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def receive_exactly(sock: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        piece = sock.recv(count - len(data))
        if not piece:
            raise ConnectionError("closed by the broker")
        data += piece
    return bytes(data)


def receive_frame(sock: socket.socket) -> bytes:
    return receive_exactly(sock, frames.SIZE.unpack(receive_exactly(sock, 4))[0])


def call(sock: socket.socket, request: bytes) -> bytes:
    sock.sendall(request)
    return receive_frame(sock)


def first_acknowledgement(port: int, topic: str, check_alive: Callable[[], None], timeout_s: float) -> None:
    """As a client that comes while the broker starts: connect, have the topic made, produce one record."""
    deadline = time.monotonic() + timeout_s
    record = frames.batch(100, 1)
    while time.monotonic() < deadline:
        check_alive()
        with contextlib.suppress(OSError), connect(port) as sock:
            while time.monotonic() < deadline:
                call(sock, frames.metadata_request(topic))
                if produce_error(call(sock, frames.produce_request(topic, record))) == 0:
                    return
                time.sleep(RETRY_S)
        time.sleep(RETRY_S)
    raise TimeoutError(f"no record was acknowledged on port {port} within {timeout_s:.0f} s")


def produce_error(message: bytes) -> int:
    code: int = frames.answer(frames.PRODUCE, message).responses[0].partition_responses[0].error_code
    return code


def round_trips(port: int, pid: int, api: str, topic: str, seconds: float) -> dict[str, float]:
    """One request, one answer, again and again."""
    request = frames.api_versions_request() if api == "ApiVersions" else frames.metadata_request(topic)
    times = []
    with connect(port) as sock:
        check_round_trip(api, call(sock, request))
        with Meter(pid) as meter:
            now = time.perf_counter()
            end = now + seconds
            while now < end:
                call(sock, request)
                before, now = now, time.perf_counter()
                times.append(now - before)
    times.sort()
    return meter.costs() | {
        "requests": len(times),
        "p50_us": times[len(times) // 2] * 1e6,
        "p99_us": times[len(times) * 99 // 100] * 1e6,
    }


def check_round_trip(api: str, message: bytes) -> None:
    if api == "ApiVersions":
        error = frames.answer(frames.API_VERSIONS, message).error_code
    else:
        error = frames.answer(frames.METADATA, message).topics[0].error_code
    if error:
        raise RuntimeError(f"{api} was answered with error {error}")


def connections(port: int, pid: int, seconds: float, at_once: int) -> dict[str, float]:
    """Connect, ApiVersions, close: what every client does first. `at_once` of them at a time."""
    request = frames.api_versions_request()
    count = 0
    with Meter(pid) as meter:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            with contextlib.ExitStack() as stack:
                socks = [stack.enter_context(connect(port)) for _ in range(at_once)]
                for sock in socks:
                    sock.sendall(request)
                for sock in socks:
                    receive_frame(sock)
            count += at_once
    return meter.costs() | {"connections": count}


def pipelined(port: int, pid: int, topic: str, value_bytes: int, depth: int, seconds: float) -> dict[str, float]:
    """Produce requests of one record each, `depth` of them on the way at any time."""
    request = frames.produce_request(topic, frames.batch(value_bytes, 1))
    with connect(port) as sock:
        first = call(sock, request)
        if produce_error(first):
            raise RuntimeError(f"produce was answered with error {produce_error(first)}")
        with Meter(pid) as meter:
            count = sum(_pipeline(sock, request, len(first) + 4, depth, seconds))
        base_offset = frames.answer(frames.PRODUCE, call(sock, request)).responses[0].partition_responses[0].base_offset
    if base_offset < count:
        raise RuntimeError(f"{count} requests were answered, and only {base_offset} records are there")
    return meter.costs() | {"requests": count}


def _pipeline(sock: socket.socket, request: bytes, answer_bytes: int, depth: int, seconds: float) -> Iterator[int]:
    """How many answers came in each read; as many requests are sent again. All answers have the same size."""
    requests = memoryview(request * depth)
    buffer = bytearray(RECEIVE_BYTES)
    end = time.perf_counter() + seconds
    sock.sendall(requests)
    unanswered, partial_bytes = depth, 0
    while unanswered:
        partial_bytes += sock.recv_into(buffer)
        answered, partial_bytes = divmod(partial_bytes, answer_bytes)
        yield answered
        if time.perf_counter() < end:
            sock.sendall(requests[: answered * len(request)])
        else:
            unanswered -= answered


def fill(port: int, topic: str, value_bytes: int, records_per_batch: int, batches: int) -> int:
    """Produce equal batches, for cases that read; the bytes of one batch."""
    records = frames.batch(value_bytes, records_per_batch)
    request = frames.produce_request(topic, records)
    with connect(port) as sock:
        for _ in range(batches):
            error = produce_error(call(sock, request))
            if error:
                raise RuntimeError(f"produce was answered with error {error}")
    return len(records)


def large_fetches(
    port: int, pid: int, topic: str, fetch_bytes: int, records_per_fetch: int, positions: int, total_bytes: int
) -> dict[str, float]:
    """Read the topic in large fetches of whole batches, round and round, as a consumer that is far behind."""
    requests = [
        frames.fetch_request(topic, offset=index * records_per_fetch, partition_max_bytes=fetch_bytes)
        for index in range(positions)
    ]
    return read_answers(port, pid, requests, fetch_bytes, total_bytes)


def read_answers(port: int, pid: int, requests: list[bytes], data_bytes: int, total_bytes: int) -> dict[str, float]:
    """Send the requests in turn and drop their answers, each of which must hold at least `data_bytes`."""
    buffer = bytearray(RECEIVE_BYTES)
    received = 0
    with connect(port) as sock, Meter(pid) as meter:
        turn = 0
        while received < total_bytes:
            sock.sendall(requests[turn % len(requests)])
            turn += 1
            left = frames.SIZE.unpack(receive_exactly(sock, 4))[0]
            if left < data_bytes:
                raise RuntimeError(f"an answer of {left} bytes came where {data_bytes} were asked for")
            received += left
            while left:
                left -= sock.recv_into(buffer, min(left, RECEIVE_BYTES))
    return meter.costs() | {"bytes": received}
