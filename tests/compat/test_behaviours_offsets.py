"""ListOffsets and OffsetForLeaderEpoch: behaviours 35, 39 and 41."""

import pytest

from ottla.errors import ErrorCode
from ottla.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from ottla.records.attributes import Codec
from support.broker import ON_BOTH_BROKERS
from support.raw_kafka import RawKafka
from support.raw_requests import (
    EARLIEST,
    LATEST,
    MAX_TIMESTAMP,
    NOW_MS,
    batch,
    end_of_epoch,
    list_offsets,
    produce,
)

pytestmark = ON_BOTH_BROKERS

EARLIEST_LOCAL, LATEST_TIERED = -4, -5


@pytest.fixture
def filled(raw: RawKafka, make_topic) -> str:
    """Six records in two batches; timestamps NOW + 0, 20, 10 and 30, 50, 40."""
    topic: str = make_topic()
    produce(raw, topic, batch(3, timestamps=[NOW_MS + step for step in (0, 20, 10)], compression=Codec.GZIP))
    produce(raw, topic, batch(3, timestamps=[NOW_MS + step for step in (30, 50, 40)]))
    return topic


def found(raw: RawKafka, topic: str, timestamp: int, version: int) -> tuple[int, int, int]:
    answer = list_offsets(raw, topic, timestamp, version=version)
    return answer.error_code, answer.offset, answer.timestamp


@pytest.mark.parametrize("version", range(1, 10))
def test_39_ends_are_given_without_a_timestamp(raw: RawKafka, filled: str, version: int):
    assert found(raw, filled, LATEST, version) == (0, 6, -1)
    assert found(raw, filled, EARLIEST, version) == (0, 0, -1)


@pytest.mark.parametrize("version", [1, 4, 7])
@pytest.mark.parametrize(("after", "offset", "at"), [(0, 0, 0), (1, 1, 20), (15, 1, 20), (21, 3, 30), (45, 4, 50)])
def test_39_timestamp_finds_the_first_record_not_older(
    raw: RawKafka, filled: str, version: int, after: int, offset: int, at: int
):
    assert found(raw, filled, NOW_MS + after, version) == (0, offset, NOW_MS + at)


def test_39_timestamp_after_all_records_finds_nothing(raw: RawKafka, filled: str):
    assert found(raw, filled, NOW_MS + 51, 7) == (0, -1, -1)


def test_39_special_timestamps_need_their_versions(raw: RawKafka, filled: str):
    assert found(raw, filled, MAX_TIMESTAMP, 7) == (0, 4, NOW_MS + 50)
    assert found(raw, filled, EARLIEST_LOCAL, 8) == (0, 0, -1)
    assert found(raw, filled, LATEST_TIERED, 9) == (0, -1, -1)
    for timestamp, version in ((MAX_TIMESTAMP, 6), (EARLIEST_LOCAL, 7), (LATEST_TIERED, 8), (-7, 9)):
        assert found(raw, filled, timestamp, version)[0] == ErrorCode.UNSUPPORTED_VERSION


def test_39_version_0_gives_offsets_before_a_time(raw: RawKafka, filled: str):
    def old_style(timestamp: int, count: int) -> list[int]:
        offsets: list[int] = list_offsets(raw, filled, timestamp, version=0, max_num_offsets=count).old_style_offsets
        return offsets

    assert old_style(LATEST, 1) == [6]
    assert old_style(LATEST, 5) == [6, 0]
    assert old_style(EARLIEST, 5) == [0]


def test_39_partition_asked_twice_is_an_invalid_request(raw: RawKafka, filled: str):
    part = ListOffsetsPartition(partition_index=0, timestamp=LATEST)
    request = ListOffsetsRequest(replica_id=-1, topics=[ListOffsetsTopic(name=filled, partitions=[part, part])])
    answers = raw.ask(request, 5).topics[0].partitions
    assert {answer.error_code for answer in answers} == {ErrorCode.INVALID_REQUEST}


def test_39_unknown_partition_is_told(raw: RawKafka, filled: str):
    assert found(raw, "no-" + filled, LATEST, 5)[0] == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_39_empty_partition_begins_and_ends_at_zero(raw: RawKafka, make_topic):
    topic = make_topic()
    assert found(raw, topic, LATEST, 7) == (0, 0, -1)
    assert found(raw, topic, EARLIEST, 7) == (0, 0, -1)
    assert found(raw, topic, NOW_MS, 7) == (0, -1, -1)
    assert found(raw, topic, MAX_TIMESTAMP, 7) == (0, -1, -1)


def test_39_answer_names_the_leader_epoch_of_the_offset(raw: RawKafka, filled: str):
    assert list_offsets(raw, filled, NOW_MS, version=4).leader_epoch == 0


def test_35_leader_epoch_is_compared_with_ours(raw: RawKafka, filled: str):
    assert list_offsets(raw, filled, LATEST, current_leader_epoch=0).error_code == ErrorCode.NONE
    wrong = list_offsets(raw, filled, LATEST, current_leader_epoch=3)
    assert (wrong.error_code, wrong.offset) == (ErrorCode.UNKNOWN_LEADER_EPOCH, -1)
    assert end_of_epoch(raw, filled, 0, current_leader_epoch=3).error_code == ErrorCode.UNKNOWN_LEADER_EPOCH


def test_41_current_epoch_ends_at_the_log_end(raw: RawKafka, filled: str):
    answer = end_of_epoch(raw, filled, 0)
    assert (answer.error_code, answer.leader_epoch, answer.end_offset) == (ErrorCode.NONE, 0, 6)


def test_41_unknown_epoch_has_no_end(raw: RawKafka, filled: str):
    answer = end_of_epoch(raw, filled, 5)
    assert (answer.error_code, answer.leader_epoch, answer.end_offset) == (ErrorCode.NONE, -1, -1)


def test_41_unknown_partition_is_told(raw: RawKafka, filled: str):
    assert end_of_epoch(raw, filled, 0, partition=4).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
