import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.controller.placement import alternate_racks, place_replicas
from ottla.errors.kafka import InvalidPartitionsError, InvalidReplicationFactorError

NO_RACKS = dict.fromkeys(range(5))


def test_documented_example_of_five_brokers_and_ten_partitions() -> None:
    """The table of Kafka's description: first leader on broker 0, followers shifted by one, then by two."""
    placed = place_replicas(NO_RACKS, 10, 3, rng=random.Random(), start=0)
    assert placed == {
        0: (0, 1, 2), 1: (1, 2, 3), 2: (2, 3, 4), 3: (3, 4, 0), 4: (4, 0, 1),
        5: (0, 2, 3), 6: (1, 3, 4), 7: (2, 4, 0), 8: (3, 0, 1), 9: (4, 1, 2),
    }  # fmt: skip


def test_documented_example_of_six_brokers_in_three_racks() -> None:
    racks = {0: "rack1", 1: "rack3", 2: "rack3", 3: "rack2", 4: "rack2", 5: "rack1"}
    assert alternate_racks(racks) == [0, 3, 1, 5, 4, 2]
    placed = place_replicas(racks, 7, 3, rng=random.Random(), start=0)
    assert placed == {
        0: (0, 3, 1), 1: (3, 1, 5), 2: (1, 5, 4), 3: (5, 4, 2), 4: (4, 2, 0), 5: (2, 0, 3), 6: (0, 4, 2),
    }  # fmt: skip


clusters = st.dictionaries(st.integers(0, 40), st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=12)


@given(racks=clusters, partitions=st.integers(1, 60), data=st.data())
def test_replicas_are_distinct_balanced_and_in_as_many_racks_as_there_are(
    racks: dict[int, str | None], partitions: int, data: st.DataObject
) -> None:
    factor = data.draw(st.integers(1, len(racks)))
    placed = place_replicas(racks, partitions, factor, rng=random.Random(partitions))
    assert list(placed) == list(range(partitions))
    for replicas in placed.values():
        assert len(set(replicas)) == factor
        assert len({racks[broker] for broker in replicas}) == min(factor, len(set(racks.values())))
    leaders = Counter(replicas[0] for replicas in placed.values())
    assert max(leaders.values()) - min(leaders.get(broker, 0) for broker in racks) <= 1


def test_partitions_added_later_go_on_where_the_first_ones_ended() -> None:
    all_at_once = place_replicas(NO_RACKS, 4, 2, rng=random.Random(), start=0)
    added = place_replicas(NO_RACKS, 2, 2, rng=random.Random(), start=0, first_partition=2)
    assert added == {2: all_at_once[2], 3: all_at_once[3]}


@pytest.mark.parametrize(
    ("partitions", "factor", "error", "message"),
    [
        (0, 1, InvalidPartitionsError, "Number of partitions must be larger than 0."),
        (1, 0, InvalidReplicationFactorError, "Replication factor must be larger than 0."),
        (1, 6, InvalidReplicationFactorError, "Replication factor: 6 larger than available brokers: 5."),
    ],
)
def test_impossible_counts_are_refused_in_kafkas_words(
    partitions: int, factor: int, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as refused:
        place_replicas(NO_RACKS, partitions, factor, rng=random.Random())
    assert str(refused.value) == message
