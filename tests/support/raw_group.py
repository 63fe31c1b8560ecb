"""Members of a group, spoken by hand: each has a connection of its own, since a JoinGroup that waits blocks it."""

from collections.abc import Mapping
from typing import Any

from ottla.errors import ErrorCode
from ottla.protocol.messages.consumer_protocol import ConsumerProtocolSubscription
from ottla.protocol.messages.delete_groups import DeleteGroupsRequest
from ottla.protocol.messages.describe_groups import DescribeGroupsRequest
from ottla.protocol.messages.find_coordinator import FindCoordinatorRequest
from ottla.protocol.messages.heartbeat import HeartbeatRequest
from ottla.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from ottla.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
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
from ottla.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from ottla.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from ottla.protocol.versioned import encode_versioned
from support.eventually import eventually
from support.raw_kafka import RawKafka


def subscription(*topics: str) -> bytes:
    """What a consumer says of itself. Kafka's coordinator never answers where it is anything else."""
    return encode_versioned(ConsumerProtocolSubscription(topics=list(topics)), 0)


METADATA = subscription("topic")


def await_coordinator(raw: RawKafka, group: str) -> None:
    """Until the group has a coordinator that has loaded it."""

    def is_there() -> bool:
        found = raw.ask(FindCoordinatorRequest(key=group), 1)
        described = raw.ask(DescribeGroupsRequest(groups=[group]), 0)
        return found.error_code == 0 and described.groups[0].error_code == 0

    eventually(is_there)


class RawMember:
    """One member, or who wants to be one. Answers are error codes by name where nothing else matters."""

    def __init__(
        self, address: str, group: str, *, instance_id: str | None = None, session_timeout_ms: int = 6000
    ) -> None:
        self.raw = RawKafka(address)
        self.session_timeout_ms = session_timeout_ms
        self.group = group
        self.instance_id = instance_id
        self.member_id = ""
        self.generation = -1

    def close(self) -> None:
        self.raw.sock.close()

    # Joining

    def send_join(self, version: int = 9, **values: Any) -> None:
        request = {
            "group_id": self.group,
            "member_id": self.member_id,
            "group_instance_id": self.instance_id if version >= 5 else None,
            "session_timeout_ms": self.session_timeout_ms,
            "rebalance_timeout_ms": 10_000 if version >= 1 else -1,
            "protocol_type": "consumer",
            "protocols": protocols(range=METADATA),
        }
        self.raw.send(JoinGroupRequest(**{**request, **values}), version)

    def joined(self) -> Any:
        """The answer to the JoinGroup that was sent."""
        answer = self.raw.receive()
        if answer.error_code in (ErrorCode.NONE, ErrorCode.MEMBER_ID_REQUIRED):
            self.member_id = answer.member_id
        if answer.error_code == ErrorCode.NONE:
            self.generation = answer.generation_id
        return answer

    def join(self, version: int = 9, **values: Any) -> Any:
        self.send_join(version, **values)
        return self.joined()

    def join_at_last(self, **values: Any) -> Any:
        """With the id that it is told to use."""
        answer = self.join(**values)
        return self.join(**values) if answer.error_code == ErrorCode.MEMBER_ID_REQUIRED else answer

    # The rest

    def send_sync(self, assignments: Mapping[str, bytes] | None = None, version: int = 3, **values: Any) -> None:
        request = {
            "group_id": self.group,
            "generation_id": self.generation,
            "member_id": self.member_id,
            "group_instance_id": self.instance_id,
            "assignments": [
                SyncGroupRequestAssignment(member_id=member_id, assignment=data)
                for member_id, data in (assignments or {}).items()
            ],
        }
        self.raw.send(SyncGroupRequest(**{**request, **values}), version)

    def synced(self) -> Any:
        return self.raw.receive()

    def sync(self, assignments: Mapping[str, bytes] | None = None, version: int = 3, **values: Any) -> Any:
        self.send_sync(assignments, version, **values)
        return self.synced()

    def heartbeat(self, **values: Any) -> str:
        request = {
            "group_id": self.group,
            "generation_id": self.generation,
            "member_id": self.member_id,
            "group_instance_id": self.instance_id,
        }
        return name(self.raw.ask(HeartbeatRequest(**{**request, **values}), 3).error_code)

    def leave(self, member_id: str | None = None, instance_id: str | None = None) -> str:
        identity = MemberIdentity(
            member_id=self.member_id if member_id is None else member_id, group_instance_id=instance_id
        )
        answer = self.raw.ask(LeaveGroupRequest(group_id=self.group, members=[identity]), 3)
        assert answer.error_code == 0
        return name(answer.members[0].error_code)

    def commit(self, topic: str, offset: int, metadata: str | None = "", partition: int = 0, **values: Any) -> str:
        wanted = OffsetCommitRequestPartition(
            partition_index=partition, committed_offset=offset, committed_metadata=metadata
        )
        request = {
            "group_id": self.group,
            "generation_id_or_member_epoch": self.generation,
            "member_id": self.member_id,
            "group_instance_id": self.instance_id,
            "topics": [OffsetCommitRequestTopic(name=topic, partitions=[wanted])],
        }
        answer = self.raw.ask(OffsetCommitRequest(**{**request, **values}), 7)
        return name(answer.topics[0].partitions[0].error_code)


def stable_group(leader: RawMember, *followers: RawMember) -> None:
    """Bring dynamic members together: `leader` first, so that it leads; each is assigned its own member id."""
    leader.join_at_last()
    for follower in followers:
        assert follower.join().error_code == ErrorCode.MEMBER_ID_REQUIRED
        follower.send_join()
    eventually(lambda: len(describe_group(leader.raw, leader.group).members) == 1 + len(followers))
    if followers:
        leader.join()
        for follower in followers:
            follower.joined()
    for follower in followers:
        follower.send_sync()
    members = [leader, *followers]
    leader.sync({member.member_id: member.member_id.encode() for member in members})
    for follower in followers:
        assert follower.synced().assignment == follower.member_id.encode()


def protocols(**metadata: bytes) -> list[JoinGroupRequestProtocol]:
    return [JoinGroupRequestProtocol(name=name, metadata=data) for name, data in metadata.items()]


def name(code: int) -> str:
    return ErrorCode(code).name


def fetch_offset(raw: RawKafka, group: str, topic: str, partition: int = 0, version: int = 7, **values: Any) -> Any:
    topics = [OffsetFetchRequestTopic(name=topic, partition_indexes=[partition])]
    answer = raw.ask(OffsetFetchRequest(group_id=group, topics=topics, **values), version)
    return answer.topics[0].partitions[0]


def delete_offset(raw: RawKafka, group: str, topic: str) -> tuple[str, list[str]]:
    partitions = [OffsetDeleteRequestPartition(partition_index=0)]
    topics = [OffsetDeleteRequestTopic(name=topic, partitions=partitions)]
    answer = raw.ask(OffsetDeleteRequest(group_id=group, topics=topics), 0)
    return name(answer.error_code), [name(part.error_code) for topic in answer.topics for part in topic.partitions]


def delete_group(raw: RawKafka, group: str) -> str:
    return name(raw.ask(DeleteGroupsRequest(groups_names=[group]), 1).results[0].error_code)


def describe_group(raw: RawKafka, group: str, version: int = 4) -> Any:
    return raw.ask(DescribeGroupsRequest(groups=[group]), version).groups[0]
