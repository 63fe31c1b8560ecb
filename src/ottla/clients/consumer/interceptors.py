"""Objects that see what a consumer reads: `on_consume(records)` may change the list, `on_commit(offsets)` may note it.

What an interceptor raises is logged and does no harm, as in Java.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from ottla.clients.consumer.record import ConsumerRecord
from ottla.clients.group_offsets import OffsetAndMetadata
from ottla.model import TopicPartition

logger = logging.getLogger(__name__)


class ConsumerInterceptors:
    def __init__(self, given: Any) -> None:
        self._all: Sequence[Any] = [] if not given else list(given) if isinstance(given, list | tuple) else [given]

    def on_consume(self, records: list[ConsumerRecord]) -> list[ConsumerRecord]:
        for interceptor in self._all:
            if records and hasattr(interceptor, "on_consume"):
                try:
                    records = interceptor.on_consume(records)
                except Exception:
                    logger.exception("on_consume of an interceptor failed")
        return records

    def on_commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        for interceptor in self._all:
            if hasattr(interceptor, "on_commit"):
                try:
                    interceptor.on_commit(offsets)
                except Exception:
                    logger.exception("on_commit of an interceptor failed")
