"""Groups outlive their coordinator: after SIGTERM and after SIGKILL the same members go on in the same generation."""

import pytest

from ottla.errors import ErrorCode
from ottla.protocol.messages.describe_groups import DescribeGroupsRequest
from ottla.protocol.messages.heartbeat import HeartbeatRequest
from ottla.protocol.messages.join_group import JoinGroupRequestProtocol
from ottla.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from support.admin_errors.world import (
    COMMIT_VERSION,
    JOIN_VERSION,
    await_coordinator,
    commit,
    commit_request,
    join,
    join_request,
    synchronise,
)
from support.broker import BrokerProcess, ottla_broker
from support.eventually import eventually
from support.raw_kafka import RawKafka, create_topic

GROUPS = 20


def end(broker: BrokerProcess, how: str) -> None:
    if how == "SIGTERM":
        assert broker.stop() == 0
    else:
        broker.kill()


def make_groups(client: RawKafka) -> dict[str, str]:
    """The member of each group, which is stable in generation 1 and has committed."""
    members = {}
    for number in range(GROUPS):
        group = f"group-{number}"
        await_coordinator(client, group)
        members[group] = join(client, group)
        synchronise(client, group, members[group], 1)
        commit(client, group, {0: number, 1: 2 * number}, member=members[group], generation=1)
    return members


def heartbeat(client: RawKafka, group: str, member: str, generation: int = 1) -> int:
    request = HeartbeatRequest(group_id=group, generation_id=generation, member_id=member)
    error: int = client.ask(request, 4).error_code
    return error


def committed(client: RawKafka, group: str) -> dict[int, int]:
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id=group, topics=None)])
    (answer,) = client.ask(request, 8).groups
    return {part.partition_index: part.committed_offset for topic in answer.topics for part in topic.partitions}


@pytest.mark.parametrize("how", ["SIGTERM", pytest.param("SIGKILL", marks=pytest.mark.long)])
def test_restart_loses_no_committed_offset_and_no_stable_group(tmp_path, how: str):
    with ottla_broker(tmp_path) as broker:
        create_topic(broker.address, "t", 2)
        with RawKafka(broker.address) as client:
            members = make_groups(client)
        end(broker, how)
        broker.start()
        with RawKafka(broker.address) as client:
            eventually(lambda: heartbeat(client, "group-0", members["group-0"]) == ErrorCode.NONE)
            described = client.ask(DescribeGroupsRequest(groups=list(members)), 5).groups
            assert {each.group_id: each.members[0].member_id for each in described} == members
            assert {each.group_state for each in described} == {"Stable"}
            for number, (group, member) in enumerate(members.items()):
                assert heartbeat(client, group, member) == ErrorCode.NONE
                assert committed(client, group) == {0: number, 1: 2 * number}
                commit(client, group, {0: 1000}, member=member, generation=1)


def test_commit_of_an_old_generation_is_refused(tmp_path):
    with ottla_broker(tmp_path) as broker:
        create_topic(broker.address, "t", 2)
        with RawKafka(broker.address) as client:
            await_coordinator(client, "g")
            member = join(client, "g")
            synchronise(client, "g", member, 1)
            assert rejoin(client, "g", member) == 2
            answer = client.ask(commit_request("g", {0: 5}, member=member, generation=1), COMMIT_VERSION)
            assert answer.topics[0].partitions[0].error_code == ErrorCode.ILLEGAL_GENERATION
            assert committed(client, "g") == {0: 0}


def rejoin(client: RawKafka, group: str, member: str) -> int:
    """The generation that follows."""
    answer = client.ask(join_request(group, member, protocols=other_protocols()), JOIN_VERSION)
    synchronise(client, group, member, answer.generation_id)
    generation: int = answer.generation_id
    return generation


def other_protocols() -> list[JoinGroupRequestProtocol]:
    """A member that comes with another subscription makes its group form anew."""
    return [JoinGroupRequestProtocol(name="range", metadata=b"another subscription")]
