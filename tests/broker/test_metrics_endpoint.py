import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ottla.broker import metrics_endpoint as endpoint_module
from ottla.broker.metrics_endpoint import CONNECTIONS_MAX, REQUEST_BYTES_MAX, MetricsEndpoint
from ottla.observability.metrics import CHUNK_LINES, Metrics
from support.descriptors import no_descriptors_left

GET = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"


def run(metrics: Metrics, use: Callable[[int], Awaitable[None]]) -> None:
    async def main() -> None:
        endpoint = MetricsEndpoint(metrics)
        port = endpoint.start("127.0.0.1", 0)
        async with asyncio.timeout(30):
            await use(port)
        await endpoint.stop()

    asyncio.run(main())


async def ask(port: int, request: bytes) -> tuple[str, str]:
    """Status line with headers, and body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    head, _, body = answer.decode().partition("\r\n\r\n")
    return head, body


def unchunk(body: str) -> str:
    text = ""
    while True:
        size, _, rest = body.partition("\r\n")
        if size == "0":
            assert rest == "\r\n"
            return text
        text += rest[: int(size, 16)]
        body = rest[int(size, 16) + 2 :]


def big_registry() -> Metrics:
    metrics = Metrics()

    def samples() -> Iterator[tuple[tuple[str, str], float]]:
        for partition in range(4000):
            yield ("views", str(partition)), partition

    for name in ("size", "logstartoffset", "logendoffset", "numlogsegments"):
        metrics.collect(f"kafka_log_log_{name}", samples)
    return metrics


def test_a_scrape_gets_every_sample_in_chunks() -> None:
    async def use(port: int) -> None:
        head, body = await ask(port, GET)
        assert head.startswith("HTTP/1.1 200 OK\r\n")
        assert "text/plain; version=0.0.4" in head
        families = list(text_string_to_metric_families(unchunk(body)))
        assert sum(len(family.samples) for family in families) == 16_000

    run(big_registry(), use)


def test_other_work_goes_on_between_the_chunks_of_a_scrape() -> None:
    async def use(port: int) -> None:
        turns = 0
        scrape = asyncio.ensure_future(ask(port, GET))
        while not scrape.done():
            turns += 1
            await asyncio.sleep(0)
        await scrape
        assert turns > 16_000 / CHUNK_LINES

    run(big_registry(), use)


def test_an_http_1_0_client_gets_the_plain_text() -> None:
    metrics = Metrics()
    metrics.gauge("ottla_kernels_compiled").value = 1

    async def use(port: int) -> None:
        head, body = await ask(port, b"GET /metrics?x=1 HTTP/1.0\r\n\r\n")
        assert "chunked" not in head
        assert body.endswith("ottla_kernels_compiled 1\n")

    run(metrics, use)


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"GET /metrics/../etc HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"DELETE /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
        (b"HEAD /metrics HTTP/1.1\r\n\r\n", "200 OK"),
        (b"\x00\x00\x00\x12nonsense\r\n\r\n", "404 Not Found"),
    ],
)
def test_only_get_of_metrics_is_answered(request_bytes: bytes, status: str) -> None:
    async def use(port: int) -> None:
        head, _ = await ask(port, request_bytes)
        assert head.split("\r\n")[0] == f"HTTP/1.1 {status}"

    run(Metrics(), use)


def test_a_request_that_is_too_long_gets_no_answer() -> None:
    async def use(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /metrics HTTP/1.1\r\nX: " + b"a" * (4 * REQUEST_BYTES_MAX))
        try:
            assert await reader.read() == b""
        except ConnectionResetError:
            pass
        finally:
            writer.close()

    run(Metrics(), use)


def test_a_request_that_does_not_end_is_dropped_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_module, "REQUEST_SECONDS_MAX", 0.05)

    async def use(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /metrics")
        try:
            assert await reader.read() == b""
        except ConnectionResetError:
            pass
        finally:
            writer.close()

    run(Metrics(), use)


def test_connections_over_the_bound_are_closed_and_the_others_served() -> None:
    async def use(port: int) -> None:
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(CONNECTIONS_MAX)]
        with pytest.raises((AssertionError, ConnectionResetError)):
            head, _ = await ask(port, GET)
            assert head
        reader, writer = idle[0]
        writer.write(GET)
        assert (await reader.read()).startswith(b"HTTP/1.1 200 OK")
        for _, writer in idle:
            writer.close()

    run(Metrics(), use)


def test_scrapes_that_the_system_has_no_descriptor_for_wait_without_a_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def use(port: int) -> None:
        late = [socket.socket() for _ in range(5)]
        with no_descriptors_left():
            for sock in late:
                sock.connect(("127.0.0.1", port))
            async with asyncio.timeout(10):
                while "accepts no connections for now: Too many open files" not in caplog.text:  # noqa: ASYNC110
                    await asyncio.sleep(0.001)
        head, _ = await ask(port, GET)
        assert head.startswith("HTTP/1.1 200 OK\r\n")
        for sock in late:
            sock.close()

    run(Metrics(), use)
    assert "Traceback" not in caplog.text
    assert caplog.text.count("Too many open files") == 1
