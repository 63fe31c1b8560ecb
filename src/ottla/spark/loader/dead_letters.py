"""Records that do not fit go to a topic of their own, as they were, with where they came from and why.

    headers   ottla.topic, ottla.partition, ottla.offset, ottla.reason (text)

They are acknowledged before the task ends, and so before the commit that moves the offsets over them: none is lost. A
task that is tried again, or a load that fails later, sends them again: at least once.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ottla.spark.loader.errors import BadRecordError
from ottla.spark.loader.raw_columns import BadRecord

TIMEOUT_SECONDS = 120


class DeadLetters:
    """Opens a producer when the first bad record comes."""

    def __init__(self, topic: str | None, producer_settings: Mapping[str, str]) -> None:
        self._topic = topic
        self._settings = dict(producer_settings)
        self._producer: Any = None
        self._sent: list[Any] = []
        self.count = 0

    def send(self, records: Iterable[BadRecord]) -> None:
        for record in records:
            if self._topic is None:
                raise BadRecordError(
                    f"{record.topic}-{record.partition}, offset {record.offset}: {record.reason}. --dead-letter TOPIC "
                    "puts such records aside"
                )
            self._sent.append(self._send(self._topic, record))
            self.count += 1

    def flush(self) -> None:
        """All of them are where they should be, or an error says why not."""
        for future in self._sent:
            future.result(TIMEOUT_SECONDS)
        self._sent.clear()

    def close(self) -> None:
        if self._producer is not None:
            self._producer.close()
            self._producer = None

    def _send(self, topic: str, record: BadRecord) -> Any:
        if self._producer is None:
            from ottla import Producer

            settings: Any = {key: value for key, value in self._settings.items() if key != "bootstrap.servers"}
            self._producer = Producer(self._settings["bootstrap.servers"], **{"acks": "all"} | settings)
        origin = {"topic": record.topic, "partition": record.partition, "offset": record.offset}
        headers = [(f"ottla.{name}", str(value).encode()) for name, value in origin.items()]
        headers.append(("ottla.reason", record.reason.encode(errors="replace")))
        return self._producer.send(topic, record.value, key=record.key, headers=headers)
