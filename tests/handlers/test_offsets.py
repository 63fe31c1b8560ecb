"""OffsetCommit, OffsetFetch and OffsetDelete in every version."""

import uuid

import pytest

from ottla.coordination import paths
from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from ottla.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from ottla.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from support.coroutines import on_event_loop
from support.group_handlers import TOPIC_ID, GroupHandlerTable


def commit_request(offset: int = 5, *, partition: int = 0, topic: str = "t", **values) -> OffsetCommitRequest:
    topic_id = TOPIC_ID if topic == "t" else uuid.UUID(int=99)
    wanted = OffsetCommitRequestPartition(partition_index=partition, committed_offset=offset, committed_metadata="note")
    return OffsetCommitRequest(
        group_id="g",
        topics=[OffsetCommitRequestTopic(name=topic, topic_id=topic_id, partitions=[wanted])],
        **values,
    )


def commit_error(answer) -> int:
    ((partition,),) = [topic.partitions for topic in answer.topics]
    return partition.error_code


def fetch_request(version: int, *partitions: int) -> OffsetFetchRequest:
    """Of topic t; without partitions everything."""
    if version >= 8:
        topics = [OffsetFetchRequestTopics(name="t", topic_id=TOPIC_ID, partition_indexes=list(partitions))]
        return OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="g", topics=topics if partitions else None)])
    topics = [OffsetFetchRequestTopic(name="t", partition_indexes=list(partitions))]
    return OffsetFetchRequest(group_id="g", topics=topics if partitions else None)


def fetched(answer, version: int) -> dict[int, tuple[int, str, int]]:
    topics = answer.groups[0].topics if version >= 8 else answer.topics
    return {
        partition.partition_index: (partition.committed_offset, partition.metadata, partition.error_code)
        for topic in topics
        for partition in topic.partitions
    }


@pytest.mark.parametrize("version", range(1, 11))
@on_event_loop
async def test_an_offset_is_committed_in_every_version(version):
    table = await GroupHandlerTable().start()
    assert commit_error(await table.call(commit_request(), version)) == ErrorCode.NONE
    (offset,) = table.coordinator.shards()[0].offsets.group("g").committed.values()
    assert (offset.offset, offset.metadata) == (5, "note")
    assert offset.commit_timestamp_ms == table.clock.wall_ms()


@pytest.mark.parametrize("version", range(1, 11))
@on_event_loop
async def test_offsets_are_fetched_in_every_version(version):
    table = await GroupHandlerTable().start()
    await table.call(commit_request(), 8)
    answer = await table.call(fetch_request(version, 0, 1), version)
    assert fetched(answer, version) == {0: (5, "note", ErrorCode.NONE), 1: (-1, "", ErrorCode.NONE)}
    if version >= 2:
        everything = await table.call(fetch_request(version), version)
        assert fetched(everything, version) == {0: (5, "note", ErrorCode.NONE)}


@on_event_loop
async def test_the_leader_epoch_comes_back_as_it_was_committed():
    table = await GroupHandlerTable().start()
    request = commit_request()
    request.topics[0].partitions[0].committed_leader_epoch = 9
    await table.call(request, 8)
    (partition,) = (await table.call(fetch_request(8, 0), 8)).groups[0].topics[0].partitions
    assert partition.committed_leader_epoch == 9


@on_event_loop
async def test_old_clients_bring_their_own_timestamp_or_retention():
    table = await GroupHandlerTable().start()
    request = commit_request()
    request.topics[0].partitions[0].commit_timestamp = 1234
    await table.call(request, 1)
    await table.call(commit_request(partition=1, retention_time_ms=1000), 2)
    await table.call(commit_request(partition=2, retention_time_ms=2**63 - 1), 2)
    committed = table.coordinator.shards()[0].offsets.group("g").committed
    assert committed[TopicPartition("t", 0)].commit_timestamp_ms == 1234
    assert committed[TopicPartition("t", 1)].expire_timestamp_ms == table.clock.wall_ms() + 1000
    assert committed[TopicPartition("t", 2)].expire_timestamp_ms == 2**63 - 1


@on_event_loop
async def test_offsets_of_partitions_that_do_not_exist_are_refused():
    table = await GroupHandlerTable().start()
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert commit_error(await table.call(commit_request(partition=4), 9)) == unknown
    assert commit_error(await table.call(commit_request(topic="x"), 9)) == unknown
    assert commit_error(await table.call(commit_request(topic="x"), 0)) == unknown
    assert commit_error(await table.call(commit_request(topic="x"), 10)) == ErrorCode.UNKNOWN_TOPIC_ID
    assert len(table.coordinator) == 0


@on_event_loop
async def test_a_topic_id_that_nobody_has_has_no_offsets():
    table = await GroupHandlerTable().start()
    topics = [OffsetFetchRequestTopics(topic_id=uuid.UUID(int=99), partition_indexes=[0])]
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="g", topics=topics)])
    assert fetched(await table.call(request, 10), 10) == {0: (-1, "", ErrorCode.UNKNOWN_TOPIC_ID)}


@pytest.mark.parametrize("version", range(1, 11))
@on_event_loop
async def test_an_error_of_the_group_is_told_where_the_version_has_a_place_for_it(version):
    table = await GroupHandlerTable().start()
    table.coordinator.partition_lost(0)
    assert commit_error(await table.call(commit_request(), version)) == ErrorCode.NOT_COORDINATOR
    answer = await table.call(fetch_request(version, 0), version)
    if version >= 8:
        assert answer.groups[0].error_code == ErrorCode.NOT_COORDINATOR
    elif version >= 2:
        assert answer.error_code == ErrorCode.NOT_COORDINATOR
    else:
        assert fetched(answer, version) == {0: (-1, "", ErrorCode.NOT_COORDINATOR)}


@on_event_loop
async def test_several_groups_are_fetched_at_once():
    table = await GroupHandlerTable().start()
    await table.call(commit_request(), 8)
    groups = [OffsetFetchRequestGroup(group_id=name, topics=None) for name in ("g", "other")]
    answer = await table.call(OffsetFetchRequest(groups=groups), 8)
    assert [(group.group_id, len(group.topics)) for group in answer.groups] == [("g", 1), ("other", 0)]


@on_event_loop
async def test_who_asks_for_stable_offsets_is_told_that_they_are_not():
    table = await GroupHandlerTable().start()
    table.log.is_held = True
    commit = table.send(commit_request(), 8)
    request = fetch_request(7, 0)
    assert fetched(await table.call(request, 7), 7) == {0: (-1, "", ErrorCode.NONE)}
    request.require_stable = True
    assert fetched(await table.call(request, 7), 7) == {0: (-1, "", ErrorCode.UNSTABLE_OFFSET_COMMIT)}
    table.log.replicate()
    assert commit_error(await commit) == ErrorCode.NONE
    assert fetched(await table.call(request, 7), 7) == {0: (5, "note", ErrorCode.NONE)}


# Version 0: ZooKeeper


@on_event_loop
async def test_version_0_keeps_offsets_in_zookeeper():
    table = await GroupHandlerTable().start()
    nothing = {0: (-1, "", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)}
    assert fetched(await table.call(fetch_request(0, 0), 0), 0) == nothing
    for offset in (5, 6):
        assert commit_error(await table.call(commit_request(offset), 0)) == ErrorCode.NONE
    data, _ = await table.session.get(paths.consumer_offset("g", TopicPartition("t", 0)))
    assert data == b"6"
    assert fetched(await table.call(fetch_request(0, 0), 0), 0) == {0: (6, "", ErrorCode.NONE)}
    assert len(table.coordinator) == 0


@on_event_loop
async def test_version_0_reads_what_the_consumers_of_the_manual_wrote():
    table = await GroupHandlerTable().start()
    path = paths.consumer_offset("g", TopicPartition("t", 1))
    await table.session.create(path, b"77", make_parents=True)
    assert fetched(await table.call(fetch_request(0, 1), 0), 0) == {1: (77, "", ErrorCode.NONE)}
    await table.session.set(path, b"rubbish")
    assert fetched(await table.call(fetch_request(0, 1), 0), 0) == {1: (-1, "", ErrorCode.UNKNOWN_SERVER_ERROR)}


@pytest.mark.parametrize("group_id", ["", ".", "..", "a/ids", "../../brokers", "a\x00"])
@on_event_loop
async def test_version_0_reaches_no_znode_but_those_of_offsets(group_id):
    table = await GroupHandlerTable().start()
    request = commit_request()
    request.group_id = group_id
    assert commit_error(await table.call(request, 0)) == ErrorCode.INVALID_GROUP_ID
    assert await table.session.children("/") == ["zookeeper"]


@on_event_loop
async def test_version_0_limits_metadata_though_it_stores_none():
    table = await GroupHandlerTable().start()
    request = commit_request()
    request.topics[0].partitions[0].committed_metadata = "x" * 4097
    assert commit_error(await table.call(request, 0)) == ErrorCode.OFFSET_METADATA_TOO_LARGE


# OffsetDelete


@on_event_loop
async def test_offsets_are_deleted():
    table = await GroupHandlerTable().start()
    await table.call(commit_request(), 8)
    await table.call(commit_request(partition=1), 8)
    partitions = [OffsetDeleteRequestPartition(partition_index=number) for number in (0, 9)]
    request = OffsetDeleteRequest(group_id="g", topics=[OffsetDeleteRequestTopic(name="t", partitions=partitions)])
    answer = await table.call(request, 0)
    assert answer.error_code == ErrorCode.NONE
    assert [(p.partition_index, p.error_code) for p in answer.topics[0].partitions] == [
        (0, ErrorCode.NONE),
        (9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]
    assert fetched(await table.call(fetch_request(8), 8), 8) == {1: (5, "note", ErrorCode.NONE)}


@on_event_loop
async def test_offsets_of_a_group_that_is_not_there_cannot_be_deleted():
    table = await GroupHandlerTable().start()
    assert (await table.call(OffsetDeleteRequest(group_id="x"), 0)).error_code == ErrorCode.GROUP_ID_NOT_FOUND


@on_event_loop
async def test_partition_that_is_named_again_is_told_once_and_a_group_is_refused():
    table = await GroupHandlerTable().start()
    await table.call(commit_request(), 8)
    topics = [OffsetFetchRequestTopics(name="t", partition_indexes=[0, 1, 0]) for _ in range(2)]
    group = OffsetFetchRequestGroup(group_id="g", topics=topics)
    (answer,) = (await table.call(OffsetFetchRequest(groups=[group]), 8)).groups
    assert [[part.partition_index for part in topic.partitions] for topic in answer.topics] == [[0, 1], []]
    refused = (await table.call(OffsetFetchRequest(groups=[group, group]), 8)).groups
    assert {answer.error_code for answer in refused} == {ErrorCode.INVALID_REQUEST}
