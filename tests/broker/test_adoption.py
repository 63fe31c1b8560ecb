"""The plan of `ottla log adopt`: who leads what, from what was found."""

import os
import uuid
from pathlib import Path

import pytest

from ottla.broker.adoption import PartitionPlan, plan_adoption
from ottla.errors import OperatorError
from ottla.model import TopicPartition
from ottla.storage.log.partition_directory import DirectoryKind
from ottla.storage.log_dir.log_dir_scan import FoundPartition, Inventory, take_inventory
from ottla.storage.log_dir.meta_properties import MetaProperties

TOPIC_ID = uuid.UUID(int=7)


def found(
    number: int,
    epoch: int,
    size: int,
    kind: DirectoryKind = DirectoryKind.CURRENT,
    *,
    topic: str = "clicks",
    was_compacted: bool = False,
) -> FoundPartition:
    return FoundPartition(
        topic_partition=TopicPartition(topic, number),
        kind=kind,
        path="",
        topic_id=TOPIC_ID,
        latest_epoch=epoch,
        size_bytes=size,
        was_compacted=was_compacted,
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


def test_nothing_is_deleted_for_want_of_a_topics_configuration() -> None:
    plans = plan_adoption(
        [
            directory(1, found(0, 0, 10), found(0, 0, 10, topic="state"), found(0, 0, 10, topic="__consumer_offsets")),
            directory(2, found(0, 0, 10, topic="state", was_compacted=True)),
        ]
    )
    assert {plan.name: plan.configs for plan in plans} == {
        "__consumer_offsets": {"cleanup.policy": "compact"},
        "clicks": {"retention.bytes": "-1", "retention.ms": "-1"},
        "state": {"cleanup.policy": "compact"},
    }


@pytest.mark.parametrize(
    ("checkpoint", "compacted"), [("0\n1\nstate 3 17\n", ["state-3"]), ("nonsense", []), (None, [])]
)
def test_what_was_compacted_is_known_from_the_cleaners_checkpoint(
    tmp_path: Path, checkpoint: str | None, compacted: list[str]
) -> None:
    for name in ("clicks-3", "state-3", "state-4"):
        (tmp_path / name).mkdir()
    if checkpoint is not None:
        (tmp_path / "cleaner-offset-checkpoint").write_text(checkpoint)
    found_partitions = take_inventory(str(tmp_path)).partitions
    assert len(found_partitions) == 3
    assert [os.path.basename(one.path) for one in found_partitions if one.was_compacted] == compacted
