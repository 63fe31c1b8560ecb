"""The records of `__consumer_offsets`, read back by us and by Kafka's own tool."""

import pytest

from ottla.coordinators.group.group import Group
from ottla.coordinators.group.member import Member
from ottla.coordinators.group.records import (
    decode_group_key,
    decode_group_value,
    group_record,
    group_tombstone,
)
from ottla.coordinators.group.requests import GroupProtocol
from ottla.coordinators.group.settings import GroupSettings
from ottla.coordinators.offsets.group_offsets import CommittedOffset
from ottla.coordinators.offsets.records import offset_record, offset_tombstone
from ottla.coordinators.runtime.coordinator_log import encode_records
from ottla.model import TopicPartition
from ottla.protocol.coordinator_records.group_metadata import GroupMetadataValue, MemberMetadata
from ottla.protocol.messages.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolAssignmentTopicPartition,
    ConsumerProtocolSubscription,
)
from ottla.protocol.versioned import encode_versioned, payload_version
from ottla.records.attributes import Codec
from ottla.records.batch import stamp
from support.peers import run_kafka_class

PARTITION = TopicPartition("orders", 3)


def a_group() -> Group:
    group = Group("my-group", GroupSettings(), wall_ms=1_700_000_000_000)
    subscription = encode_versioned(ConsumerProtocolSubscription(topics=["orders"]), 0)
    for name, instance_id in (("m-1", None), ("m-2", "static-2")):
        member = Member(
            name,
            instance_id=instance_id,
            client_id="client",
            client_host="/127.0.0.1",
            session_timeout_ms=45_000,
            rebalance_timeout_ms=300_000,
            protocols=(GroupProtocol("range", subscription),),
        )
        group.add(member, "consumer")
    group.generation = 7
    group.protocol_name = "range"
    return group


def an_assignment() -> bytes:
    assigned = ConsumerProtocolAssignmentTopicPartition(topic="orders", partitions=[0, 3])
    return encode_versioned(ConsumerProtocolAssignment(assigned_partitions=[assigned]), 0)


def test_a_group_replays_its_own_record():
    group = a_group()
    key, value = group_record(group, {"m-1": b"one", "m-2": b"two"})
    assert decode_group_key(key) == "my-group"
    assert (payload_version(key), payload_version(value)) == (2, 3)
    replayed = Group("my-group", GroupSettings(), wall_ms=0)
    replayed.replay(decode_group_value(value))
    assert (replayed.generation, replayed.leader_id, replayed.protocol_name) == (7, "m-1", "range")
    assert {name: member.assignment for name, member in replayed.members.items()} == {"m-1": b"one", "m-2": b"two"}
    assert replayed.static_members == {"static-2": "m-2"}
    assert replayed.subscribed_topics == {"orders"}
    assert replayed.state_timestamp_ms == group.state_timestamp_ms


@pytest.mark.parametrize("version", range(5))
def test_every_version_of_a_group_is_read(version):
    member = MemberMetadata(member_id="m", client_id="c", client_host="/h", session_timeout=9, rebalance_timeout=30)
    value = GroupMetadataValue(protocol_type="consumer", generation=3, protocol="range", leader="m", members=[member])
    group = Group("g", GroupSettings(), wall_ms=0)
    group.replay(decode_group_value(encode_versioned(value, version)))
    assert group.generation == 3
    assert group.members["m"].rebalance_timeout_ms == (9 if version == 0 else 30)


def test_kafkas_own_tool_reads_the_records(tmp_path):
    records = [
        offset_record("my-group", PARTITION, CommittedOffset(42, 5, "note", 1_700_000_000_000)),
        offset_record("my-group", PARTITION, CommittedOffset(43, 5, "", 1_700_000_000_000, 1_700_000_999_000)),
        offset_tombstone("my-group", PARTITION),
        group_record(a_group(), {"m-1": an_assignment(), "m-2": b""}),
        group_tombstone("my-group"),
    ]
    batch = encode_records(records, 1_700_000_000_000, Codec.NONE)
    stamp(batch, 0, 0, 0)
    path = tmp_path / "00000000000000000000.log"
    path.write_bytes(batch)
    done = run_kafka_class("3.9.1", "kafka.tools.DumpLogSegments", "--offsets-decoder", "--files", str(path))
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("| offset")]
    assert len(lines) == 5, done.stdout
    assert '"group":"my-group","topic":"orders","partition":3' in lines[0]
    assert '"offset":42,"leaderEpoch":5,"metadata":"note","commitTimestamp":1700000000000' in lines[0]
    assert '"expireTimestamp":1700000999000' in lines[1]
    assert "payload: <DELETE>" in lines[2] or "payload: null" in lines[2], lines[2]
    assert '"generation":7,"protocol":"range","leader":"m-1"' in lines[3]
    assert '"groupInstanceId":"static-2"' in lines[3]
