"""Committed offsets on a real broker: they survive SIGKILL, and `__consumer_offsets` stays small."""

from pathlib import Path

from ottla.errors import ErrorCode
from ottla.protocol.messages.find_coordinator import FindCoordinatorRequest
from ottla.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from ottla.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from support.broker import BrokerProcess, ottla_broker
from support.eventually import eventually
from support.raw_kafka import RawKafka, create_topic

SEGMENT_BYTES = 20_000
QUICK_CLEANER = {"offsets.topic.segment.bytes": str(SEGMENT_BYTES), "log.cleaner.backoff.ms": "100"}


def find_coordinator(client: RawKafka) -> bool:
    answer = client.ask(FindCoordinatorRequest(coordinator_keys=["g"]), 4)
    return answer.coordinators[0].error_code == ErrorCode.NONE


def commit(client: RawKafka, partition: int, offset: int) -> int:
    wanted = OffsetCommitRequestPartition(partition_index=partition, committed_offset=offset, committed_metadata="")
    topics = [OffsetCommitRequestTopic(name="t", partitions=[wanted])]
    answer = client.ask(OffsetCommitRequest(group_id="g", topics=topics), 8)
    return answer.topics[0].partitions[0].error_code


def committed(client: RawKafka) -> dict[int, int] | None:
    """None while the coordinator loads, or is not there."""
    (group,) = client.ask(OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="g", topics=None)]), 8).groups
    if group.error_code != ErrorCode.NONE:
        return None
    return {part.partition_index: part.committed_offset for topic in group.topics for part in topic.partitions}


def offsets_bytes(broker: BrokerProcess) -> int:
    folder = Path(broker.log_dir) / "__consumer_offsets-0"
    return sum(path.stat().st_size for path in folder.glob("*.log"))


def test_offsets_survive_a_kill_and_their_topic_is_compacted(tmp_path):
    with ottla_broker(tmp_path, QUICK_CLEANER) as broker:
        create_topic(broker.address, "t", 4)
        expected = {}
        with RawKafka(broker.address) as client:
            eventually(lambda: find_coordinator(client))
            eventually(lambda: commit(client, 0, 0) == ErrorCode.NONE)
            for number in range(2000):
                assert commit(client, number % 4, number) == ErrorCode.NONE
                expected[number % 4] = number
        eventually(lambda: offsets_bytes(broker) < 2 * SEGMENT_BYTES)
        broker.kill()
        broker.start()
        with RawKafka(broker.address) as client:
            assert eventually(lambda: committed(client)) == expected
            assert commit(client, 0, 5000) == ErrorCode.NONE
            assert committed(client) == {**expected, 0: 5000}
