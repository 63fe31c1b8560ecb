"""All partitions of a broker: found or refused, changed as the controller says, taken offline with a disk."""

import os
import uuid
from pathlib import Path

import pytest

from ottla.errors import LogDirError
from ottla.errors.kafka import (
    KafkaStorageError,
    NotLeaderOrFollowerError,
    UnknownTopicIdError,
    UnknownTopicOrPartitionError,
)
from ottla.metadata.image import PartitionImage, TopicImage
from ottla.model import NO_BROKER, NO_EPOCH, ZERO_UUID, TopicPartition
from ottla.replication.partition import Partition, PartitionAssignment
from ottla.replication.replica_manager import ReplicaManager
from support.coroutines import on_event_loop
from support.replicas import BROKER_ID, TOPIC_ID, Replicas, replicas_in

T0 = TopicPartition("t", 0)
OTHER_ID = uuid.UUID(int=8)
ALL = (BROKER_ID, 2)


class Fetchers:
    """What the manager tells whoever fetches."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int]] = []

    def follow(self, partition: Partition) -> None:
        self.told.append(("follow", partition.leader_id))

    def leave(self, partition: Partition) -> None:
        self.told.append(("leave", partition.leader_id))


def with_fetchers(replicas: Replicas) -> tuple[ReplicaManager, Fetchers]:
    """A manager over the same logs that tells these fetchers."""
    fetchers = Fetchers()
    return replicas.make_manager(lambda _: fetchers), fetchers


def assigned(leader: int, epoch: int) -> PartitionAssignment:
    return PartitionAssignment(leader, epoch, ALL, ALL, epoch)


def known_elsewhere(replicas: Replicas) -> None:
    """A topic in the metadata of which this broker has nothing."""
    topic = TopicImage("elsewhere", OTHER_ID, {0: PartitionImage(2, 4, (2,), (2,), 0, 1)})
    replicas.metadata.swap(replicas.metadata.image.with_topics([topic]))


@on_event_loop
async def test_what_is_not_held_is_refused_by_what_the_metadata_say(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        known_elsewhere(replicas)
        with pytest.raises(UnknownTopicOrPartitionError):
            replicas.manager.partition("t", 0)
        with pytest.raises(NotLeaderOrFollowerError):
            replicas.manager.partition("elsewhere", 0)
        with pytest.raises(UnknownTopicIdError):
            replicas.manager.partition_by_id("t", TOPIC_ID, 0)
        with pytest.raises(NotLeaderOrFollowerError):
            replicas.manager.partition_by_id("elsewhere", OTHER_ID, 0)
        assert replicas.manager.current_leader("elsewhere", 0) == (2, 4)
        assert replicas.manager.current_leader("t", 0) == (NO_BROKER, NO_EPOCH)


@on_event_loop
async def test_a_partition_is_found_by_name_and_by_its_topics_id(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        assert replicas.manager.partition("t", 0) is partition
        assert replicas.manager.partition_by_id("t", TOPIC_ID, 0) is partition
        assert replicas.manager.topic_name(TOPIC_ID) == "t"
        with pytest.raises(UnknownTopicIdError):
            replicas.manager.partition_by_id("t", OTHER_ID, 0)


@on_event_loop
async def test_fetchers_follow_with_the_leader_and_leave_with_the_lead(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        manager, fetchers = with_fetchers(replicas)
        assert manager.apply(T0, TOPIC_ID, assigned(2, 1))
        assert manager.apply(T0, TOPIC_ID, assigned(BROKER_ID, 2))
        assert not manager.apply(T0, TOPIC_ID, assigned(2, 1))
        manager.stop(T0, delete=False)
        assert [what for what, _ in fetchers.told] == ["follow", "leave", "leave"]


@on_event_loop
async def test_a_stopped_partition_is_gone_and_its_log_only_when_it_is_deleted(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.append(replicas.lead())
        replicas.manager.stop(T0, delete=False)
        with pytest.raises(NotLeaderOrFollowerError):
            replicas.manager.partition("t", 0)
        assert replicas.logs.registry.get(T0) is not None
        assert replicas.lead(epoch=1).log.log_end_offset == 1
        replicas.manager.stop(T0, delete=True)
        assert replicas.logs.registry.get(T0) is None


@on_event_loop
async def test_the_log_of_a_former_topic_of_the_name_is_kept_as_stray(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.append(replicas.lead())
        replicas.manager.stop(T0, delete=False)
        assert replicas.lead(epoch=0, topic_id=OTHER_ID).log.log_end_offset == 0
        assert any(name.endswith("-stray") for name in os.listdir(tmp_path))


@on_event_loop
async def test_a_failed_directory_takes_its_partitions_offline_and_wakes_who_waits(tmp_path: Path) -> None:
    class Waiting:
        woken = 0

        def partition_changed(self, partition: Partition) -> None:
            self.woken += partition.is_offline

    with replicas_in(tmp_path) as replicas:
        partition, waiting = replicas.lead(), Waiting()
        partition.watchers[waiting] = None
        replicas.manager.log_directory_failed([T0])
        assert replicas.manager.is_offline(T0)
        assert replicas.manager.offline_count == 1
        with pytest.raises(KafkaStorageError):
            replicas.manager.partition("t", 0)
        replicas.purgatory.notify_if_few()
        assert waiting.woken == 1


@on_event_loop
async def test_while_a_directory_is_offline_no_empty_log_takes_the_place_of_one_that_may_be_there(
    tmp_path: Path,
) -> None:
    with replicas_in(tmp_path) as replicas:
        (log_dir,) = replicas.logs.dirs.all
        log_dir.fail(LogDirError(log_dir.path, "gone"))
        with pytest.raises(KafkaStorageError, match="may be in a directory that is offline"):
            replicas.manager.apply(T0, TOPIC_ID, assigned(BROKER_ID, 0))


@on_event_loop
async def test_an_id_of_zero_means_by_name(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(topic_id=ZERO_UUID)
        assert replicas.manager.partition("t", 0) is partition
        assert partition.topic_id == ZERO_UUID


@on_event_loop
async def test_the_high_watermark_of_a_log_without_a_partition_is_the_one_that_was_checkpointed(
    tmp_path: Path,
) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        replicas.append(partition)
        assert replicas.manager.high_watermark(partition.log) == 1
        replicas.manager.stop(T0, delete=False)
        assert replicas.manager.high_watermark(partition.log) == 0
