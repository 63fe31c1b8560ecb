"""A data directory as a broker leaves it, and the judgement of what a broker serves from it after a file was damaged.

Segments small enough that there are many, a compacted topic whose cleaner has run, producers with snapshots, offsets of
a group, the embedded ZooKeeper's own files.

What must hold of each batch that was acknowledged:

    its bytes are sound               it is served as it was
    in the damaged file, behind the   it is served as it was, or is refused with an error, or a reader sees by length
    first byte that differs           and checksum that it is damaged, or the log ends before it
    in a later segment                the same, where the broker was killed: recovery cuts the log at what is damaged
    anywhere                          it may be below the log start offset that a damaged checkpoint of those says, or
                                      set aside with its log, where that says by a damaged id that it is another topic's

Where a log ends before its time the segment is named.

The first 16 bytes of a batch (offset, length, epoch) are under no checksum in Kafka's format: what those of a damaged
batch say cannot be judged.
"""

from pathlib import Path
from typing import NamedTuple

from hostile.batches import Batches, batch_at, end_offset, looks_right, read_batches
from hostile.damage import Damage
from ottla.errors import ErrorCode
from ottla.records.batch import decode_header, iterate_batches
from ottla.storage.log.partition_directory import PARTITION_METADATA
from ottla.storage.log_dir.checkpoints import CLEANER, LOG_START
from support.eventually import eventually
from support.raw_group import RawMember, await_coordinator, fetch_offset
from support.raw_kafka import RawKafka, create_topic, topic_metadata
from support.raw_requests import batch, new_producer_id, produce

TOPICS = {
    "records": {"segment.bytes": "6000", "index.interval.bytes": "600", "segment.index.bytes": "4096"},
    "compacted": {
        "cleanup.policy": "compact",
        "segment.bytes": "6000",
        "min.cleanable.dirty.ratio": "0.01",
        "segment.index.bytes": "4096",
    },
}
PARTITIONS = 2
BATCHES = 40
GROUP = "readers"
COMMITTED = (3, 5, 8)
OFFSETS = "__consumer_offsets"
PROPERTIES = {
    "log.retention.ms": "-1",
    "log.cleaner.backoff.ms": "200",
    "zookeeper.session.timeout.ms": "2000",
    "offsets.topic.segment.bytes": "6000",
}

Partition = tuple[str, int]


class Place(NamedTuple):
    file: str
    position: int
    size: int


class StoredRecords:
    """What a broker acknowledged, and where it lies; made while it runs, located when it has ended."""

    def __init__(self, address: str, log_dir: Path) -> None:
        self._log_dir = log_dir
        for topic, configs in TOPICS.items():
            create_topic(address, topic, PARTITIONS, configs)
        with RawKafka(address) as raw:
            producer_id = new_producer_id(raw)
            for number in range(BATCHES):
                for topic in TOPICS:
                    for partition in range(PARTITIONS):
                        records = _records(number, producer_id if topic == "records" else -1)
                        assert produce(raw, topic, records, partition=partition).error_code == 0
            self._commit(raw, address)
        self.batches: dict[Partition, Batches] = {}
        self.ends: dict[Partition, int] = {}

    def _commit(self, raw: RawKafka, address: str) -> None:
        await_coordinator(raw, GROUP)
        member = RawMember(address, GROUP)
        for offset in COMMITTED:
            assert member.commit("records", offset) == "NONE"
        member.close()

    def await_cleaned(self) -> None:
        cleaned = self._log_dir / CLEANER
        eventually(lambda: all(f"compacted {number} " in _text(cleaned) for number in range(PARTITIONS)))

    def note(self, raw: RawKafka) -> None:
        """What is served now, which must be served for ever."""
        for topic in TOPICS:
            for partition in range(PARTITIONS):
                self.batches[topic, partition] = read_batches(raw, topic, partition)
                self.ends[topic, partition] = end_offset(raw, topic, partition)

    def places(self, partition: Partition) -> dict[int, Place]:
        """Where each batch lies, by base offset. To be asked while no broker runs and nothing is damaged."""
        return {
            header.base_offset: Place(path.name, position, header.size_bytes)
            for path in sorted((self._log_dir / "{}-{}".format(*partition)).glob("*.log"))
            for position, header in iterate_batches(path.read_bytes(), partial_tail=True)
        }


class Judgement:
    """Of a broker that has started on a damaged directory."""

    def __init__(
        self,
        stored: StoredRecords,
        places: dict[Partition, dict[int, Place]],
        damage: Damage,
        output: Path,
        *,
        was_killed: bool,
    ) -> None:
        self._output = output
        self._stored = stored
        self._places = places
        self._damage = damage
        self._was_killed = was_killed

    def of_partition(self, raw: RawKafka, partition: Partition) -> None:
        hurt = self._hurt_segments(partition)
        if self._is_set_aside(partition):
            return
        for base_offset, data in self._stored.batches[partition].items():
            error, found = batch_at(raw, *partition, base_offset)
            if error == ErrorCode.OFFSET_OUT_OF_RANGE and self._may_start_later:
                continue
            if self._may_be_lost(partition, base_offset, hurt):
                self._assert_not_taken_for_right(partition, error, found)
            else:
                assert (error, found) == (0, data), f"offset {base_offset} of {partition}: {error}, {found[:61]!r}"
        self._assert_goes_on(raw, partition, hurt)

    def of_group(self, raw: RawKafka) -> None:
        """Offsets are those of the last commit; of an earlier one, or none, where their own log is damaged."""
        await_coordinator(raw, GROUP)
        found = fetch_offset(raw, GROUP, "records")
        hurt = any(path.parent.name.startswith(OFFSETS) for path in self._damage.paths)
        allowed = (*COMMITTED, -1) if hurt else COMMITTED[-1:]
        assert (found.error_code, found.committed_offset in allowed) == (0, True), found

    def _hurt_segments(self, partition: Partition) -> list[str]:
        name = "{}-{}".format(*partition)
        return [path.name for path in self._damage.paths if path.parent.name == name and path.suffix == ".log"]

    def _is_set_aside(self, partition: Partition) -> bool:
        name = "{}-{}".format(*partition)
        if not any(path.name == PARTITION_METADATA and path.parent.name == name for path in self._damage.paths):
            return False
        aside = list(self._damage.paths[0].parent.parent.glob(f"{name}.*-stray"))
        files = {place.file for place in self._places[partition].values()}
        return any(files <= {path.name for path in found.iterdir()} for found in aside)

    @property
    def _may_start_later(self) -> bool:
        return any(path.name == LOG_START for path in self._damage.paths)

    def _may_be_lost(self, partition: Partition, base_offset: int, hurt: list[str]) -> bool:
        place = self._places[partition].get(base_offset)
        if not hurt or place is None:
            return bool(hurt)
        if place.file in hurt:
            return self._damage.kind == "swap" or place.position + place.size > self._damage.position
        return self._was_killed and place.file > min(hurt)

    def _assert_not_taken_for_right(self, partition: Partition, error: int, found: bytes) -> None:
        if error or not looks_right(found):
            return
        header = decode_header(found)
        known = self._stored.batches[partition].get(header.base_offset)
        assert known is None or known[16:] == found[16:], f"wrong bytes at offset {header.base_offset} of {partition}"

    def _assert_goes_on(self, raw: RawKafka, partition: Partition, hurt: list[str]) -> None:
        """What is acknowledged now can be read, and no offset is given twice."""
        topic, number = partition
        end = end_offset(raw, topic, number)
        sent = produce(raw, topic, batch([b"afterwards"]), partition=number)
        if sent.error_code:
            assert hurt, f"{partition} takes no records: {ErrorCode(sent.error_code).name}"
            return
        assert sent.base_offset == end
        assert hurt or end == self._stored.ends[partition], f"{partition} goes on at {end}"
        if end < self._stored.ends[partition]:
            said = self._output.read_text(errors="replace")
            assert any(Path(name).stem in said for name in hurt), f"{partition} was cut at {end} without a word"
        error, found = batch_at(raw, topic, number, sent.base_offset)
        assert error == 0
        assert b"afterwards" in found, f"what was written at offset {end} of {partition} cannot be read"


def is_known(address: str, topic: str) -> bool:
    """Whether the registry has the topic; waits for leaders where it has."""

    def settled() -> str:
        found = topic_metadata(address, topic)
        if found.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            return "unknown"
        return "led" if found.partitions and all(part.leader_id >= 0 for part in found.partitions) else ""

    return eventually(settled, 15) == "led"


def _records(number: int, producer_id: int) -> bytes:
    values = [b"%d/%d " % (number, record) * 30 for record in range(3)]
    keys = [b"key %d" % ((number * 3 + record) % 25) for record in range(3)]
    if producer_id < 0:
        return batch(values, keys=keys)
    return batch(values, keys=keys, producer_id=producer_id, producer_epoch=0, base_sequence=3 * number)


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""
