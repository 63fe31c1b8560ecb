"""Objects that see every record: `on_send(record)` may change it, `on_acknowledgement(metadata, error)` may count it.

What an interceptor raises is logged and does no harm to the record, as in Java.
"""

import logging
from collections.abc import Sequence
from typing import Any

from ottla.clients.producer.metadata import ProducerRecord, RecordMetadata
from ottla.errors import OttlaError

logger = logging.getLogger(__name__)


class Interceptors:
    def __init__(self, given: Any) -> None:
        self._all: Sequence[Any] = [] if not given else list(given) if isinstance(given, list | tuple) else [given]

    def __bool__(self) -> bool:
        return bool(self._all)

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        for interceptor in self._all:
            if hasattr(interceptor, "on_send"):
                try:
                    record = interceptor.on_send(record)
                except Exception:
                    logger.exception("on_send of an interceptor failed")
        return record

    def on_acknowledgement(self, metadata: RecordMetadata | None, error: OttlaError | None) -> None:
        for interceptor in self._all:
            if hasattr(interceptor, "on_acknowledgement"):
                try:
                    interceptor.on_acknowledgement(metadata, error)
                except Exception:
                    logger.exception("on_acknowledgement of an interceptor failed")

    def close(self) -> None:
        for interceptor in self._all:
            if hasattr(interceptor, "close"):
                try:
                    interceptor.close()
                except Exception:
                    logger.exception("close of an interceptor failed")
