"""`GET /metrics` for Prometheus: a server of one page, off unless `ottla.metrics.port` is set.

It shares the broker's event loop, so everything is bounded: the connections open at once, the bytes and the time of a
request, and the text between two turns of the loop (one chunk of `Metrics.render`). One request per connection; the
answer is sent in HTTP chunks, so that a scraper notices one that broke off. Anything but GET or HEAD of /metrics is
404 or 405 and tells nothing.
"""

import asyncio
import logging
from collections.abc import Iterator

from ottla.observability.logs import RateLimitedLogger
from ottla.observability.metrics import Metrics

REQUEST_BYTES_MAX = 8192
REQUEST_SECONDS_MAX = 5.0
RESPONSE_SECONDS_MAX = 30.0
CONNECTIONS_MAX = 16
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

logger = logging.getLogger(__name__)


class MetricsEndpoint:
    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._limited = RateLimitedLogger(logger)

    async def start(self, host: str, port: int) -> int:
        """Listen, and return the port (port 0: any)."""
        self._server = await asyncio.start_server(self._connected, host, port, limit=REQUEST_BYTES_MAX)
        bound: int = self._server.sockets[0].getsockname()[1]
        logger.info("metrics at http://%s:%d/metrics", host, bound)
        return bound

    async def stop(self) -> None:
        """Stop listening and end the scrapes under way."""
        if self._server is None:
            return
        self._server.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= CONNECTIONS_MAX:
            self._limited.warning("refused", "%d scrapes at once: one more is refused", CONNECTIONS_MAX)
            writer.transport.abort()
            return
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(REQUEST_SECONDS_MAX):
                head = await reader.readuntil(b"\r\n\r\n")
            async with asyncio.timeout(RESPONSE_SECONDS_MAX):
                await self._answer(head, writer)
                writer.close()
                await writer.wait_closed()
        except (OSError, TimeoutError, EOFError, asyncio.LimitOverrunError) as error:
            self._limited.info("broken", "scrape broke off: %s", repr(error))
        finally:
            writer.transport.abort()  # does nothing where the answer went out and the connection is closed

    async def _answer(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        method, path, version = request_line(head)
        if path != "/metrics":
            writer.write(plain_response("404 Not Found", "the metrics are at /metrics\n"))
        elif method not in ("GET", "HEAD"):
            writer.write(plain_response("405 Method Not Allowed", "only GET and HEAD\n", "Allow: GET, HEAD\r\n"))
        elif method == "HEAD":
            writer.write(page_head(chunked=False))
        else:
            chunked = version == "HTTP/1.1"
            writer.write(page_head(chunked=chunked))
            await self._write_page(writer, chunked=chunked)

    async def _write_page(self, writer: asyncio.StreamWriter, *, chunked: bool) -> None:
        for piece in http_chunks(self._metrics.render()) if chunked else self._metrics.render():
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)  # the requests of clients come in between


def request_line(head: bytes) -> tuple[str, str, str]:
    """Method, path without its query, and version; empty texts where there is no request line."""
    parts = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        return "", "", ""
    return parts[0], parts[1].partition("?")[0], parts[2]


def page_head(*, chunked: bool) -> bytes:
    encoding = "Transfer-Encoding: chunked\r\n" if chunked else ""
    return f"HTTP/1.1 200 OK\r\nContent-Type: {CONTENT_TYPE}\r\n{encoding}Connection: close\r\n\r\n".encode()


def plain_response(status: str, body: str, extra: str = "") -> bytes:
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
        f"{extra}Connection: close\r\n\r\n{body}"
    ).encode()


def http_chunks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield b"%x\r\n%b\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"
