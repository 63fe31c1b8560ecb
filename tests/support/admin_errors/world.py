"""What the table of admin requests finds on a broker: a few topics, records, groups with and without members.

topic t (2 partitions)   5 records in partition 0, retention.ms=100000
topics d, e, f          to be deleted
group idle               no members, committed t-0 at 3 and t-1 at 4 (metadata "m")
group busy               one member that has joined and synchronised, committed t-0 at 1
group forming            one member that has joined and not synchronised
"""

from typing import Any, NamedTuple
from uuid import UUID

from ottla.protocol.message import Request
from ottla.protocol.messages.find_coordinator import FindCoordinatorRequest
from ottla.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from ottla.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from ottla.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from support.eventually import eventually
from support.raw_kafka import RawKafka, create_topic, topic_metadata
from support.raw_requests import batch, produce

SESSION_TIMEOUT_MS = 300_000
JOIN_VERSION, SYNC_VERSION, COMMIT_VERSION = 5, 3, 8
MEMBER_ID_REQUIRED = 79
# A subscription to t, and t-0 as an assignment, in the formats of the consumer protocol (version 0).
SUBSCRIPTION = bytes.fromhex("0000 00000001 0001 74 ffffffff")
ASSIGNMENT = bytes.fromhex("0000 00000001 0001 74 00000001 00000000 ffffffff")


class World(NamedTuple):
    address: str
    topic_ids: dict[str, UUID]
    busy_member: str
    forming_member: str


def make_world(address: str) -> World:
    create_topic(address, "t", 2, {"retention.ms": "100000"})
    for topic in ("d", "e", "f"):
        create_topic(address, topic)
    with RawKafka(address) as client:
        assert produce(client, "t", batch(5)).error_code == 0
        for group in ("idle", "busy", "forming"):
            await_coordinator(client, group)
        commit(client, "idle", {0: 3, 1: 4}, metadata="m")
        busy = join(client, "busy")
        synchronise(client, "busy", busy, 1)
        commit(client, "busy", {0: 1}, member=busy, generation=1)
        forming = join(client, "forming")
    topic_ids = {topic: topic_metadata(address, topic).topic_id for topic in ("t", "d", "e")}
    return World(address, topic_ids, busy, forming)


def await_coordinator(client: RawKafka, group: str) -> None:
    """Its topic is made when a coordinator is first asked for, and then has to be loaded."""
    eventually(lambda: client.ask(FindCoordinatorRequest(key=group), 2).error_code == 0)
    eventually(lambda: client.ask(commit_request(group, {}), COMMIT_VERSION) is not None)
    eventually(lambda: _commit_error(client, commit_request(group, {0: 0})) == 0)


def join_request(group: str, member: str = "", instance: str | None = None, **fields: Any) -> JoinGroupRequest:
    protocols = [JoinGroupRequestProtocol(name="range", metadata=SUBSCRIPTION)]
    defaults = {"session_timeout_ms": SESSION_TIMEOUT_MS, "rebalance_timeout_ms": SESSION_TIMEOUT_MS}
    named = {"group_id": group, "member_id": member, "group_instance_id": instance, "protocol_type": "consumer"}
    return JoinGroupRequest(**{**defaults, **named, "protocols": protocols, **fields})


def join(client: RawKafka, group: str, instance: str | None = None) -> str:
    """The id of a new member, the first of its group."""
    answer = client.ask(join_request(group, instance=instance), JOIN_VERSION)
    if answer.error_code == MEMBER_ID_REQUIRED:
        answer = client.ask(join_request(group, answer.member_id, instance), JOIN_VERSION)
    assert answer.error_code == 0
    member: str = answer.member_id
    return member


def synchronise(client: RawKafka, group: str, member: str, generation: int) -> None:
    assignments = [SyncGroupRequestAssignment(member_id=member, assignment=ASSIGNMENT)]
    request = SyncGroupRequest(group_id=group, generation_id=generation, member_id=member, assignments=assignments)
    assert client.ask(request, SYNC_VERSION).error_code == 0


def commit_request(
    group: str, offsets: dict[int, int], *, member: str = "", generation: int = -1, metadata: str = "", topic: str = "t"
) -> OffsetCommitRequest:
    partitions = [
        OffsetCommitRequestPartition(partition_index=partition, committed_offset=offset, committed_metadata=metadata)
        for partition, offset in offsets.items()
    ]
    return OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=generation,
        member_id=member,
        topics=[OffsetCommitRequestTopic(name=topic, partitions=partitions)] if offsets else [],
    )


def commit(client: RawKafka, group: str, offsets: dict[int, int], **fields: Any) -> None:
    assert _commit_error(client, commit_request(group, offsets, **fields)) == 0


def _commit_error(client: RawKafka, request: Request) -> int:
    answer = client.ask(request, COMMIT_VERSION)
    error: int = answer.topics[0].partitions[0].error_code
    return error
