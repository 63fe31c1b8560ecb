"""Consumers are sent to an in-sync replica of their own rack, and may read there (KIP-392)."""

import uuid
from pathlib import Path

import pytest

from ottla.errors import ConfigError, ErrorCode
from ottla.metadata.image import BrokerRegistration, ClusterImage
from ottla.replication.fetch_reader import FetchEntry, FetchParams, FetchReader, PartitionRead
from ottla.replication.partition import PartitionAssignment
from ottla.replication.replica_selector import RackAwareReplicaSelector, replica_selector
from support.loops import on_loop
from support.replicas import BROKER_ID, Replicas, replicas_in

NO_ID = uuid.UUID(int=0)
ALL = (BROKER_ID, 2, 3)


def lead_with_racks(replicas: Replicas, isr: tuple[int, ...] = ALL) -> None:
    """Broker 1 leads from rack a; 2 is in rack b, 3 in rack c. Both have fetched offset 2."""
    partition = replicas.lead(isr=ALL)
    partition.become_leader(PartitionAssignment(BROKER_ID, 1, isr, ALL, 1))
    racks = {1: "a", 2: "b", 3: "c"}
    brokers = {broker: BrokerRegistration(broker, {}, rack) for broker, rack in racks.items()}
    replicas.metadata.swap(ClusterImage(topics=replicas.metadata.image.topics, brokers=brokers))
    for _ in range(3):
        replicas.append(partition)
    for follower in (2, 3):
        partition.note_follower_fetch(follower, partition.log.position_of(2), 0, 1)


def read(replicas: Replicas, rack: str | None, offset: int = 0, replica_id: int = -1) -> PartitionRead:
    entry = FetchEntry("t", NO_ID, 0)
    entry.fetch_offset, entry.max_bytes = offset, 1000
    reader = FetchReader(replicas.manager, RackAwareReplicaSelector(replicas.metadata))
    ((_, answer),) = reader.read([entry], FetchParams(replica_id, 0, 1, 1000, 0, rack_id=rack)).reads
    answer.close()
    return answer


@on_loop
async def test_a_consumer_is_sent_to_the_replica_of_its_rack(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        lead_with_racks(replicas)
        assert [read(replicas, rack).preferred_read_replica for rack in ("a", "b", "c", "d", "", None)] == [
            -1, 2, 3, -1, -1, -1,
        ]  # fmt: skip


@on_loop
async def test_nobody_is_sent_to_a_replica_out_of_sync_or_behind(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        lead_with_racks(replicas, isr=(BROKER_ID, 3))
        assert read(replicas, "b").preferred_read_replica == -1
        assert read(replicas, "c", offset=3).preferred_read_replica == -1


@on_loop
async def test_followers_serve_consumers_that_know_of_racks_and_verification_only(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=ALL)
        replicas.append(partition)
        partition.become_follower(PartitionAssignment(2, 2, ALL, ALL, 2))
        partition.follow_high_watermark(1)
        codes = [
            read(replicas, rack, replica_id=reader).error_code for rack, reader in (("", -1), (None, -1), (None, 3))
        ]
        assert codes == [ErrorCode.NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_LEADER_OR_FOLLOWER]
        assert read(replicas, None, replica_id=-2).error_code == ErrorCode.NONE


def test_an_unknown_selector_is_refused() -> None:
    with pytest.raises(ConfigError):
        replica_selector("com.example.Selector", None)  # type: ignore[arg-type]
