"""The plan of `ottla log adopt`: who leads what, from what was found."""

import uuid

import pytest

from ottla.cli.adoption import PartitionPlan, plan_adoption
from ottla.errors import OperatorError
from ottla.model import TopicPartition
from ottla.storage.inventory import FoundPartition, Inventory
from ottla.storage.meta_properties import MetaProperties
from ottla.storage.partition_directory import DirectoryKind

TOPIC_ID = uuid.UUID(int=7)


def found(number: int, epoch: int, size: int, kind: DirectoryKind = DirectoryKind.CURRENT) -> FoundPartition:
    return FoundPartition(
        topic_partition=TopicPartition("clicks", number),
        kind=kind,
        path="",
        topic_id=TOPIC_ID,
        latest_epoch=epoch,
        size_bytes=size,
    )


def directory(broker_id: int, *partitions: FoundPartition) -> Inventory:
    meta = MetaProperties(broker_id=broker_id, cluster_id="c")
    return Inventory(path=f"/{broker_id}", meta=meta, partitions=partitions)


def test_newest_epoch_leads_then_the_longest_log() -> None:
    plans = plan_adoption(
        [directory(1, found(0, 4, 100), found(1, 2, 50)), directory(2, found(0, 5, 10), found(1, 2, 60))]
    )
    assert plans[0].topic_id == TOPIC_ID
    assert plans[0].partitions == {0: PartitionPlan((2, 1), 6), 1: PartitionPlan((2, 1), 3)}


def test_partition_that_is_found_nowhere_is_registered_empty() -> None:
    assert plan_adoption([directory(1, found(1, 3, 10))])[0].partitions == {
        0: PartitionPlan((1,), 0),
        1: PartitionPlan((1,), 4),
    }


def test_what_is_deleted_or_moving_is_left_alone() -> None:
    assert (
        plan_adoption([directory(1, found(0, 1, 1, DirectoryKind.DELETED), found(0, 1, 1, DirectoryKind.STRAY))]) == []
    )


def test_two_topics_of_one_name_are_refused() -> None:
    other = FoundPartition(
        topic_partition=TopicPartition("clicks", 0), kind=DirectoryKind.CURRENT, path="", topic_id=uuid.UUID(int=8),
        latest_epoch=0, size_bytes=0,
    )  # fmt: skip
    with pytest.raises(OperatorError, match="different topics"):
        plan_adoption([directory(1, found(0, 0, 0)), directory(2, other)])
