"""The broker's way to ZooKeeper: a session with the servers of `zookeeper.connect`, or with our own server.

A broker that is alone (`deployment`) runs the embedded server on its own loop, with its data beside the first log
directory, and talks to it over loopback as it would to an ensemble. The directory is this broker's alone
(`zookeeper_directory`). A `zookeeper.connect` that does not answer is an error and never a reason to start one.
"""

import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from ottla.broker.deployment import Deployment
from ottla.broker.log_dir_contents import LogDirContents
from ottla.broker.zookeeper_directory import KEY, check_owner, write_owner
from ottla.clock import Clock
from ottla.config import BrokerConfig
from ottla.coordination.connect_string import ConnectString, parse_connect_string
from ottla.coordination.errors import ConnectionLossError
from ottla.coordination.kazoo_session import KazooSession
from ottla.coordination.session_life import SessionOptions
from ottla.errors import OperatorError
from ottla.observability.instruments import Histogram

if TYPE_CHECKING:
    from ottla.coordination.embedded.server import EmbeddedZooKeeper

logger = logging.getLogger(__name__)

_EMBEDDED_TICK_MS = 1000


class ZooKeeperLink:
    """`start` gives the session."""

    def __init__(
        self,
        config: BrokerConfig,
        deployment: Deployment,
        clock: Clock,
        on_failure: Callable[[BaseException], None],
        log_dir_contents: Callable[[], LogDirContents],
        request_times: Histogram,
    ) -> None:
        self._config = config
        self._deployment = deployment
        self._clock = clock
        self._on_failure = on_failure
        self._log_dir_contents = log_dir_contents
        self._request_times = request_times
        self._session: KazooSession | None = None
        self._embedded: EmbeddedZooKeeper | None = None

    async def start(self) -> KazooSession:
        connect = self._deployment.zookeeper_connect
        servers = parse_connect_string(connect) if connect is not None else await self._start_embedded()
        self._session = session = KazooSession(self._options(servers), self._clock, self._request_times)
        try:
            await session.start()
        except ConnectionLossError as error:
            raise OperatorError(f"{error}. Is zookeeper.connect right, and is ZooKeeper running?") from error
        return session

    async def stop(self) -> None:
        if self._session is not None:
            await self._session.close()
        if self._embedded is not None:
            await self._embedded.stop()

    async def _start_embedded(self) -> ConnectString:
        # Imported here: a broker on an ensemble starts without it.
        from ottla.coordination.embedded.server import EmbeddedZooKeeper
        from ottla.coordination.embedded.server_config import ServerConfig
        from ottla.coordination.embedded.store import DirectoryInUseError

        data_dir, log_dirs = self._deployment.zookeeper_data_dir, self._config.log_dirs
        check_owner(data_dir, log_dirs)
        port = self._deployment.zookeeper_port
        server = EmbeddedZooKeeper(
            ServerConfig(data_dir=data_dir, client_port=port, tick_time_ms=_EMBEDDED_TICK_MS),
            self._clock,
            port_search=self._deployment.may_search_port,
            on_failure=self._on_failure,
            contradiction=self._log_dir_contents().contradiction,
        )
        try:
            await server.start()
        except DirectoryInUseError as error:
            raise OperatorError(f"{error}: give this broker another {KEY}, or stop the other one") from error
        self._embedded = server
        write_owner(data_dir, log_dirs)
        if port not in (0, server.port):
            logger.warning("port %d is taken: the embedded ZooKeeper listens on %d", port, server.port)
        return parse_connect_string(f"{server.host}:{server.port}")

    def _options(self, servers: ConnectString) -> SessionOptions:
        config = self._config
        session_timeout_ms = config.int("zookeeper.session.timeout.ms")
        return SessionOptions(
            connect=servers,
            session_timeout_ms=session_timeout_ms,
            connection_timeout_ms=config.optional_int("zookeeper.connection.timeout.ms") or session_timeout_ms,
            digest=config.password("ottla.zookeeper.auth"),
            set_acl=config.bool("zookeeper.set.acl"),
            directory=os.path.abspath(config.log_dirs[0]),
            own_server=self._deployment.is_alone,
        )
