"""The shortcut of a Fetch that waited: its one partition has gained a few bytes, and they become an answer's bytes.

A consumer at the end of a partition waits for nearly every record that it gets, and until its answer has left, the
record is on its way. The answer is that of the long way (`FetchReader`, `FetchDelivery`, the response's writer), byte
for byte; no messages are made for it, and nothing is looked up.
"""

from collections.abc import Callable
from struct import Struct
from typing import NamedTuple

from ottla.protocol.codec import encode
from ottla.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from ottla.protocol.primitives import write_uvarint
from ottla.replication.fetching import READ_COMMITTED, FetchEntry, FetchParams
from ottla.replication.gain import Gain

# The first version of which no answer may be refused for what its records are (see `fetch_delivery`).
FIRST_VERSION = 10
TOPICS_KEPT_MAX = 10_000


class LoneAnswer(NamedTuple):
    """What packs an answer for a topic: the bytes between its fields, and those behind the records."""

    pack: Callable[..., bytes]
    before_session: bytes
    before_partition: bytes
    before_records: bytes
    after_records: bytes


class LoneFetch:
    """For one version of Fetch."""

    __slots__ = ("_answers", "_length", "_version")

    def __init__(self, version: int) -> None:
        self._version = version
        self._length = length_of_records(version)
        self._answers: dict[tuple[str, int, int], LoneAnswer] = {}

    def answer(self, entry: FetchEntry, params: FetchParams, session_id: int, gain: Gain) -> bytes:
        """The body of the answer that gives a partition's gain and no more."""
        key = (entry.topic, entry.topic_id.int, params.isolation_level)
        pack, before_session, before_partition, before_records, after_records = self._answers.get(
            key
        ) or self._make_answer(key, entry)
        records, high_watermark, last_stable_offset, log_start_offset = gain
        head = pack(
            before_session,
            session_id,
            before_partition,
            entry.partition_index,
            0,
            high_watermark,
            last_stable_offset,
            log_start_offset,
            before_records,
        )
        return b"".join((head, self._length(len(records)), records, after_records))

    def _make_answer(self, key: tuple[str, int, int], entry: FetchEntry) -> LoneAnswer:
        if len(self._answers) >= TOPICS_KEPT_MAX:
            self._answers.clear()
        answer = self._answers[key] = answer_of(entry, self._version, isolation_level=key[-1])
        return answer


def length_of_records(version: int) -> Callable[[int], bytes]:
    """What a version writes before so many bytes of records."""
    if version in FetchResponse.FLEXIBLE:
        return lambda size: write_uvarint(size + 1)
    return Struct(">i").pack


_SESSION = Struct(">i").pack(0x7E570005)
_MARKS = (0x7E570001, 0, 0x7E57000000000002, 0x7E57000000000003, 0x7E57000000000004)
_RECORDS = b"\x7e\x57records"
_PARTITION_FIELDS = "ihqqq"


def answer_of(entry: FetchEntry, version: int, *, isolation_level: int) -> LoneAnswer:
    """By what the response's own writer makes of values that are found again: the layout is known there alone."""
    index, error_code, high_watermark, last_stable_offset, log_start_offset = _MARKS
    part = PartitionData(
        partition_index=index,
        error_code=error_code,
        high_watermark=high_watermark,
        last_stable_offset=last_stable_offset,
        log_start_offset=log_start_offset,
        aborted_transactions=[] if isolation_level == READ_COMMITTED else None,
        records=_RECORDS,
    )
    topic = FetchableTopicResponse(topic=entry.topic, topic_id=entry.topic_id, partitions=[part])
    response = FetchResponse(session_id=int.from_bytes(_SESSION, "big"), responses=[topic])
    before_session, _, rest = encode(response, version).partition(_SESSION)
    before_partition, _, rest = rest.partition(Struct(f">{_PARTITION_FIELDS}").pack(*_MARKS))
    before_records, _, after_records = rest.partition(length_of_records(version)(len(_RECORDS)) + _RECORDS)
    sizes = (len(before_session), len(before_partition), len(before_records))
    pack = Struct(">{}si{}s{fields}{}s".format(*sizes, fields=_PARTITION_FIELDS)).pack
    return LoneAnswer(pack, before_session, before_partition, before_records, after_records)
