"""Fetch handlers over the real logs of `support.replicas`."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from ottla.handlers.fetch.deliver import FetchDelivery
from ottla.handlers.fetch.handler import FetchHandlers
from ottla.observability.metrics import Metrics
from ottla.replication.fetch_session_cache import FetchSessionCache
from support.raw_requests import BIG
from support.replicas import Replicas


@contextmanager
def handlers_of(replicas: Replicas, response_bytes_max: int = BIG) -> Iterator[FetchHandlers]:
    delivery = FetchDelivery(asyncio.get_running_loop(), Metrics(replicas.clock))
    sessions = FetchSessionCache(replicas.clock, 10)
    try:
        yield FetchHandlers(replicas.manager, sessions, delivery, response_bytes_max=response_bytes_max)
    finally:
        delivery.close()
