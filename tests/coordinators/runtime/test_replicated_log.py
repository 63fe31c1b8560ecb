"""`__consumer_offsets` on real logs: when an append counts as stored, and what a restarted coordinator reads."""

from ottla.coordinators.group.coordinator import GroupCoordinator
from ottla.coordinators.group.settings import OFFSETS_TOPIC, GroupSettings
from ottla.coordinators.offsets.requests import CommitRequest, OffsetToCommit
from ottla.coordinators.runtime.coordinator_log import encode_records
from ottla.coordinators.runtime.replicated_log import ReplicatedLog
from ottla.coordinators.runtime.step import KeyValue
from ottla.errors import ErrorCode, KafkaError
from ottla.model import TopicPartition
from ottla.observability.metrics import Metrics
from ottla.records.attributes import Codec
from ottla.replication.partition import PartitionAssignment
from support.loops import on_loop
from support.replicas import BROKER_ID, Replicas, replicas_in, turn

OTHER = 2


class Appends:
    """What became of each append."""

    def __init__(self, replicas: Replicas) -> None:
        self.log = ReplicatedLog(OFFSETS_TOPIC, replicas.manager, replicas.clock)
        self.outcomes: list[tuple[ErrorCode, int]] = []

    def append(self, *, timeout_ms: int = 5000) -> None:
        batch = encode_records([KeyValue(b"key", b"value")], 1_700_000_000_000, Codec.NONE)
        try:
            appended = self.log.append(0, batch)
        except KafkaError as error:
            self.outcomes.append((error.code, -1))
            return
        self.log.when_replicated(
            appended,
            timeout_ms,
            lambda error: self.outcomes.append((error, -1 if error else appended[0])),
        )


@on_loop
async def test_a_lone_replica_has_stored_at_once(tmp_path):
    with replicas_in(tmp_path, cleanup_policy="compact") as replicas:
        replicas.lead(OFFSETS_TOPIC)
        appends = Appends(replicas)
        appends.append()
        appends.append()
        assert appends.outcomes == [(ErrorCode.NONE, 0), (ErrorCode.NONE, 1)]


@on_loop
async def test_an_append_is_stored_when_the_high_watermark_has_passed_it(tmp_path):
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(OFFSETS_TOPIC, isr=(BROKER_ID, OTHER))
        appends = Appends(replicas)
        appends.append()
        await turn()
        assert appends.outcomes == []
        partition.high_watermark = partition.log.end_position
        partition.changed()
        await turn()
        assert appends.outcomes == [(ErrorCode.NONE, 0)]


@on_loop
async def test_an_append_that_is_not_replicated_in_time_is_told_so(tmp_path):
    with replicas_in(tmp_path) as replicas:
        replicas.lead(OFFSETS_TOPIC, isr=(BROKER_ID, OTHER))
        appends = Appends(replicas)
        appends.append(timeout_ms=100)
        await replicas.advance_ms(200)
        assert appends.outcomes == [(ErrorCode.REQUEST_TIMED_OUT, -1)]


@on_loop
async def test_an_append_whose_leader_goes_is_told_so(tmp_path):
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(OFFSETS_TOPIC, isr=(BROKER_ID, OTHER))
        appends = Appends(replicas)
        appends.append()
        partition.become_follower(PartitionAssignment(OTHER, 1, (OTHER,), (BROKER_ID, OTHER), 1))
        await turn()
        appends.append()
        perhaps, refused = ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert [error for error, _ in appends.outcomes] == [perhaps, refused]


@on_loop
async def test_too_few_replicas_refuse_an_append(tmp_path):
    with replicas_in(tmp_path, min_insync_replicas="2") as replicas:
        replicas.lead(OFFSETS_TOPIC, replicas=(BROKER_ID, OTHER))
        appends = Appends(replicas)
        appends.append()
        assert appends.outcomes == [(ErrorCode.NOT_ENOUGH_REPLICAS, -1)]


@on_loop
async def test_a_restarted_coordinator_reads_every_segment(tmp_path):
    with replicas_in(tmp_path, cleanup_policy="compact", segment_bytes="2000") as replicas:
        partition = replicas.lead(OFFSETS_TOPIC)
        before = await started(replicas, epoch=1)
        for number in range(200):
            name = TopicPartition("t", number % 7)
            offsets = {name: OffsetToCommit(number, -1, "", replicas.clock.wall_ms())}
            assert before.commit(CommitRequest("g", -1, "", None, offsets)) == {name: ErrorCode.NONE}
        assert len(partition.log.segments) > 3
        committed = before.fetch("g", None)
        before.stop()
        after = await started(replicas, epoch=2)
        assert after.fetch("g", None) == committed
        assert {offset.offset for offset in committed.values()} == set(range(193, 200))
        after.stop()


async def started(replicas: Replicas, epoch: int) -> GroupCoordinator:
    """A small buffer, so that loading takes many reads."""
    coordinator = GroupCoordinator(
        GroupSettings(load_buffer_bytes=500),
        ReplicatedLog(OFFSETS_TOPIC, replicas.manager, replicas.clock),
        lambda: 1,
        replicas.clock,
        replicas.wheel,
        Metrics(replicas.clock),
    )
    coordinator.start()
    coordinator.partition_won(0, epoch)
    await coordinator.loaded()
    return coordinator
