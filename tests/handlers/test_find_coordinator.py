"""FindCoordinator in every version."""

import pytest

from ottla.coordinators.partitioning import partition_for
from ottla.errors import ErrorCode
from ottla.protocol.messages.find_coordinator import FindCoordinatorRequest
from support.coroutines import on_event_loop
from support.group_handlers import GroupHandlerTable, cluster_image, topic_image

OFFSETS = "__consumer_offsets"


def request_for(version: int, *keys: str, key_type: int = 0) -> FindCoordinatorRequest:
    if version >= 4:
        return FindCoordinatorRequest(key_type=key_type, coordinator_keys=list(keys))
    return FindCoordinatorRequest(key=keys[0], key_type=key_type if version else 0)


def found(answer, version: int):
    return answer.coordinators[0] if version >= 4 else answer


@pytest.mark.parametrize("version", range(7))
@on_event_loop
async def test_the_first_question_makes_the_topic(version):
    table = GroupHandlerTable()
    coordinator = found(await table.call(request_for(version, "g"), version), version)
    assert coordinator.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert (coordinator.node_id, coordinator.host, coordinator.port) == (-1, "", -1)
    assert table.wanted_topics == [OFFSETS]


@pytest.mark.parametrize("version", range(7))
@on_event_loop
async def test_the_leader_of_the_groups_partition_coordinates_it(version):
    table = GroupHandlerTable()
    table.metadata.swap(cluster_image(topic_image(OFFSETS, 50)))
    coordinator = found(await table.call(request_for(version, "g"), version), version)
    assert coordinator.error_code == ErrorCode.NONE
    assert (coordinator.node_id, coordinator.host, coordinator.port) == (3, "host-3", 9093)
    assert table.wanted_topics == []
    if 1 <= version <= 3:
        assert coordinator.error_message == "NONE"


@on_event_loop
async def test_a_partition_without_a_leader_has_no_coordinator():
    table = GroupHandlerTable()
    topic = topic_image(OFFSETS, 50)
    leaderless = topic.partitions[0]._replace(leader=-1)
    partitions = {**topic.partitions, partition_for("lost", 50): leaderless}
    table.metadata.swap(cluster_image(topic._replace(partitions=partitions)))
    answer = await table.call(request_for(4, "g", "lost"), 4)
    codes = {coordinator.key: coordinator.error_code for coordinator in answer.coordinators}
    assert codes == {"g": ErrorCode.NONE, "lost": ErrorCode.COORDINATOR_NOT_AVAILABLE}


@pytest.mark.parametrize("key_type", [1, 2, 77])
@on_event_loop
async def test_kinds_of_coordinators_that_are_not_there_are_refused(key_type):
    table = GroupHandlerTable()
    (coordinator,) = (await table.call(request_for(6, "x", key_type=key_type), 6)).coordinators
    assert coordinator.error_code == ErrorCode.INVALID_REQUEST


@on_event_loop
async def test_client_that_wants_transactions_is_told_of_in_the_log_once(caplog: pytest.LogCaptureFixture):
    table = GroupHandlerTable()
    for _ in range(3):
        answer = await table.call(request_for(4, "t1", "t2", key_type=1), 4)
        assert {each.error_code for each in answer.coordinators} == {ErrorCode.INVALID_REQUEST}
    (line,) = [record.getMessage() for record in caplog.records]
    assert line == "client 'client' at 127.0.0.1 asks for the coordinator of a transactional id: there is none here"
