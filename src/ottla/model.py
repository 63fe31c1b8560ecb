"""The words that every package shares: offsets, epochs, broker ids, topic-partitions, topic ids.

The ids are distinct types to mypy and plain ints and strings at run time.
"""

import base64
import re
import uuid
from typing import NamedTuple, NewType

Offset = NewType("Offset", int)
LeaderEpoch = NewType("LeaderEpoch", int)
BrokerId = NewType("BrokerId", int)
ProducerId = NewType("ProducerId", int)

NO_OFFSET = Offset(-1)
NO_EPOCH = LeaderEpoch(-1)
NO_BROKER = BrokerId(-1)
NO_TIMESTAMP = -1

INTERNAL_TOPICS = frozenset({"__consumer_offsets", "__transaction_state"})

TOPIC_NAME_LENGTH_MAX = 249
_LEGAL_TOPIC = re.compile(r"[a-zA-Z0-9._-]+", re.ASCII)


class TopicPartition(NamedTuple):
    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


ZERO_UUID = uuid.UUID(int=0)


def topic_name_problem(name: str) -> str | None:
    """Why a topic may not have this name (Kafka's words), or None when it may."""
    if not name:
        return "Topic name is invalid: the empty string is not allowed"
    if name in (".", ".."):
        return f"Topic name is invalid: '{name}' is not allowed"
    if len(name) > TOPIC_NAME_LENGTH_MAX:
        return (
            f"Topic name is invalid: the length of '{name}' is longer than the max allowed length "
            f"{TOPIC_NAME_LENGTH_MAX}"
        )
    if not _LEGAL_TOPIC.fullmatch(name):
        return (
            f"Topic name is invalid: '{name}' contains one or more characters other than ASCII alphanumerics, "
            "'.', '_' and '-'"
        )
    return None


def encode_uuid(value: uuid.UUID) -> str:
    """A UUID as Kafka prints it: 22 characters of URL-safe base64 (topic ids, the cluster id)."""
    return base64.urlsafe_b64encode(value.bytes).rstrip(b"=").decode("ascii")


def decode_uuid(text: str) -> uuid.UUID:
    """The reverse of `encode_uuid`; ValueError when the text is none."""
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return uuid.UUID(bytes=raw)


def random_uuid() -> uuid.UUID:
    """A fresh id whose text form does not begin with '-', which command lines would take for an option."""
    while True:
        value = uuid.uuid4()
        if not encode_uuid(value).startswith("-"):
            return value
