"""`GET /metrics` for Prometheus: a server of one page, off unless `ottla.metrics.port` is set.

It shares the broker's event loop, so everything is bounded: the connections open at once, the bytes and the time of a
request, and the text between two turns of the loop (one chunk of `Metrics.render`). One request per connection; the
answer is sent in HTTP chunks, so that a scraper notices one that broke off. Anything but GET or HEAD of /metrics is
404 or 405 and tells nothing.
"""

import asyncio
import logging
import socket
from collections.abc import Iterator

from ottla.clock import Clock, SystemClock
from ottla.observability.logs import RateLimitedLogger
from ottla.observability.metrics import Metrics
from ottla.transport.acceptor import Acceptor

REQUEST_BYTES_MAX = 8192
REQUEST_SECONDS_MAX = 5.0
RESPONSE_SECONDS_MAX = 30.0
CONNECTIONS_MAX = 16
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

logger = logging.getLogger(__name__)


class MetricsEndpoint:
    def __init__(self, metrics: Metrics, clock: Clock | None = None) -> None:
        self._metrics = metrics
        self._clock = clock or SystemClock()
        self._acceptors: list[Acceptor] = []
        self._connections: set[asyncio.Task[None]] = set()
        self._limited = RateLimitedLogger(logger, self._clock)

    def start(self, host: str, port: int) -> int:
        """Listen on all addresses of the host, and return the port (port 0: any)."""
        loop = asyncio.get_running_loop()
        for sock in listening_sockets(host, port):
            port = sock.getsockname()[1]
            name = f"the metrics endpoint on {host}:{port}"
            acceptor = Acceptor(sock, loop, self._clock, self._limited, name, self._accepted)
            acceptor.start()
            self._acceptors.append(acceptor)
        return port

    async def stop(self) -> None:
        """Stop listening and end the scrapes under way."""
        for acceptor in self._acceptors:
            acceptor.close()
        self._acceptors.clear()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accepted(self, sock: socket.socket, _address: object) -> None:
        if len(self._connections) >= CONNECTIONS_MAX:
            self._limited.warning("refused", "%d scrapes at once: one more is refused", CONNECTIONS_MAX)
            sock.close()
            return
        task = asyncio.get_running_loop().create_task(self._serve(sock))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, sock: socket.socket) -> None:
        with sock:
            reader, writer = await asyncio.open_connection(sock=sock, limit=REQUEST_BYTES_MAX)
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


def listening_sockets(host: str, port: int) -> list[socket.socket]:
    """One for each address that the host has here, all on one port. OSError when none can be had."""
    sockets: list[socket.socket] = []
    failure: OSError | None = None
    for family, _, _, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE):
        try:
            sock = socket.create_server((str(address[0]), port), family=family)
        except OSError as error:  # a name may have an IPv6 address where the system has no IPv6
            failure = error
            continue
        sock.setblocking(False)
        port = sock.getsockname()[1]
        sockets.append(sock)
    if not sockets:
        assert failure is not None, "a host that is found has an address"
        raise failure
    return sockets


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
