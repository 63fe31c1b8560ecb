"""The user's objects that see every record: `interceptor.classes`. Each method may be missing.

    on_send(record)                      of a producer: may change the record
    on_acknowledgement(metadata, error)  of a producer: may count it
    on_consume(records)                  of a consumer: may change the list
    on_commit(offsets)                   of a consumer: may note them

What an interceptor raises is logged and does no harm to the record, as in Java.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ottla.clients.consumer.committer import Offsets
    from ottla.clients.consumer.record import ConsumerRecord
    from ottla.clients.producer.metadata import ProducerRecord, RecordMetadata
    from ottla.errors import OttlaError

logger = logging.getLogger(__name__)


class Interceptors:
    def __init__(self, given: Any) -> None:
        self._all: Sequence[Any] = [] if not given else list(given) if isinstance(given, list | tuple) else [given]

    def __bool__(self) -> bool:
        return bool(self._all)

    def _change(self, method: str, value: Any) -> Any:
        """The value after each interceptor has had it."""
        for interceptor in self._all:
            if value and hasattr(interceptor, method):
                try:
                    value = getattr(interceptor, method)(value)
                except Exception:
                    logger.exception("%s of an interceptor failed", method)
        return value

    def _tell(self, method: str, *arguments: Any) -> None:
        for interceptor in self._all:
            if hasattr(interceptor, method):
                try:
                    getattr(interceptor, method)(*arguments)
                except Exception:
                    logger.exception("%s of an interceptor failed", method)


class ProducerInterceptors(Interceptors):
    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        changed: ProducerRecord = self._change("on_send", record)
        return changed

    def on_acknowledgement(self, metadata: RecordMetadata | None, error: OttlaError | None) -> None:
        self._tell("on_acknowledgement", metadata, error)

    def close(self) -> None:
        self._tell("close")


class ConsumerInterceptors(Interceptors):
    def on_consume(self, records: list[ConsumerRecord]) -> list[ConsumerRecord]:
        changed: list[ConsumerRecord] = self._change("on_consume", records)
        return changed

    def on_commit(self, offsets: Offsets) -> None:
        self._tell("on_commit", offsets)
