"""The options of the source: names in any case, Spark's defaults, Spark's refusals."""

import pickle

import pytest

from ottla.model import TopicPartition
from ottla.spark.options import ClientOptions, JobOptions
from ottla.spark.source.offset_limits import Bound, GlobalTime, OnNoMatch, SpecificOffsets, SpecificTimes
from ottla.spark.source.partition_json import from_plain, parse_offsets, to_plain
from ottla.spark.source.source_options import parse_batch_options, parse_stream_options, time_ms
from ottla.spark.source.subscription import Assign, Subscribe, SubscribePattern

GIVEN = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "clicks"}


def batch(**options):
    return parse_batch_options(JobOptions(GIVEN | options))


def stream(**options):
    return parse_stream_options(JobOptions(GIVEN | options))


def test_defaults_are_those_of_sparks_source():
    options = batch()
    assert (options.starting, options.ending) == (Bound.EARLIEST, Bound.LATEST)
    assert stream().starting is Bound.LATEST
    assert options.fail_on_data_loss
    assert not options.include_headers
    assert (options.min_partitions, options.max_records_per_partition) == (None, None)
    assert (options.fetch_offset_attempts, options.fetch_offset_retry_interval_ms) == (3, 1000)
    assert options.max_trigger_delay_ms == 15 * 60 * 1000
    assert options.poll_timeout_ms == 120_000
    assert not options.client.read_committed


def test_names_may_be_written_in_any_case():
    options = parse_stream_options(
        JobOptions(
            {"KAFKA.BOOTSTRAP.SERVERS": "a:1", "SUBSCRIBEPATTERN": "c.*", "maxoffsetspertrigger": "7",
             "FAILONDATALOSS": "False", "Kafka.Isolation.Level": "read_committed"}
        )
    )  # fmt: skip
    assert options.subscription == SubscribePattern("c.*")
    assert options.max_offsets_per_trigger == 7
    assert not options.fail_on_data_loss
    assert options.client.read_committed


def test_subscriptions():
    given = {"kafka.bootstrap.servers": "a:1"}
    parse = lambda **how: parse_batch_options(JobOptions(given | how)).subscription  # noqa: E731
    assert parse(subscribe=" a, b,,") == Subscribe(("a", "b"))
    assert parse(assign='{"a":[0,2]}') == Assign((TopicPartition("a", 0), TopicPartition("a", 2)))
    assert parse(subscribePattern=" a.* ") == SubscribePattern("a.*")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "One of the following options must be specified for Kafka source: subscribe, subscribepattern, assign"),
        ({"subscribe": "a", "assign": "{}"}, "Only one of the following options can be specified for Kafka source"),
        ({"subscribe": " , "}, "No topics to subscribe to as specified value for option 'subscribe' is ' , '"),
        ({"assign": "a"}, "No topicpartitions to assign as specified value for option 'assign' is 'a'"),
        ({"assign": "{a}"}, 'Expected e.g. {"topicA":[0,1],"topicB":[0,1]}, got {a}'),
        ({"subscribePattern": " "}, "Pattern to subscribe is empty as specified value for option 'subscribePattern'"),
    ],
)
def test_a_subscription_that_is_none_is_refused_in_sparks_words(options, message):
    with pytest.raises(ValueError) as refused:
        parse_batch_options(JobOptions({"kafka.bootstrap.servers": "a:1"} | options))
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"minPartitions": "0"}, "minPartitions must be positive"),
        ({"maxRecordsPerPartition": "-1"}, "maxrecordsperpartition must be positive"),
        ({"minPartitions": "x"}, 'For input string: "x"'),
        ({"failOnDataLoss": "maybe"}, 'For input string: "maybe"'),
        ({"kafka.auto.offset.reset": "latest"}, "Kafka option 'auto.offset.reset' is not supported."),
        ({"kafka.key.deserializer": "x"}, "Kafka option 'key.deserializer' is not supported as keys are deserialized"),
        ({"kafka.value.deserializer": "x"}, "Kafka option 'value.deserializer' is not supported as values are"),
        ({"kafka.enable.auto.commit": "true"}, "Kafka option 'enable.auto.commit' is not supported"),
        ({"kafka.interceptor.classes": "x"}, "Kafka option 'interceptor.classes' is not supported"),
        ({"startingOffsets": "latest"}, "starting offset can't be latest for batch queries on Kafka"),
        ({"endingOffsets": "earliest"}, "ending offset can't be earliest for batch queries on Kafka"),
        ({"startingOffsets": '{"t":{"0":-1}}'}, "startingOffsets for t-0 can't be latest for batch queries on Kafka"),
        ({"endingOffsets": '{"t":{"0":-2}}'}, "ending offset for t-0 can't be earliest for batch queries on Kafka"),
        ({"startingOffsets": "soon"}, 'Expected e.g. {"topicA":{"0":23,"1":-1},"topicB":{"0":-2}}, got soon'),
        ({"startingTimestamp": "noon"}, "Expected a single long value, got noon"),
        ({"startingOffsetsByTimestamp": "[]"}, 'Expected e.g. {"topicA": {"0": 123456789, "1": 123456789},'),
        ({"startingOffsets": '{"t":{"0":5}}', "endingOffsets": '{"t":{"0":4}}'},
         "The specified start offset 5 is greater than the end offset 4 for topic t partition 0."),
        ({"startingOffsets": '{"t":{"0":5}}', "endingOffsets": '{"t":{"1":9}}'},
         "The specified start offset and end offset should have the same topic-partitions."),
        ({"startingOffsetsByTimestamp": '{"t":{"0":5}}', "endingOffsetsByTimestamp": '{"t":{"0":4}}'},
         "The specified start timestamp 5 is greater than the end timestamp 4 for topic t partition 0."),
        ({"minOffsetsPerTrigger": "9", "maxOffsetsPerTrigger": "8"},
         "The value of minOffsetPerTrigger(9) is higher than the maxOffsetsPerTrigger(8)."),
    ],
)  # fmt: skip
def test_what_spark_refuses_is_refused_in_its_words(options, message):
    with pytest.raises(ValueError) as refused:
        batch(**options)
    assert message in str(refused.value)


def test_bootstrap_servers_must_be_given():
    with pytest.raises(ValueError, match=r"Option 'kafka.bootstrap.servers' must be specified"):
        parse_batch_options(JobOptions({"subscribe": "a"}))


def test_a_stream_has_no_end():
    with pytest.raises(ValueError, match="ending offset not valid in streaming queries"):
        stream(endingOffsets="latest")
    with pytest.raises(ValueError, match="ending timestamp not valid in streaming queries"):
        stream(endingOffsetsByTimestamp="{}")


def test_of_the_options_for_one_end_the_most_general_time_counts():
    offsets, times, time = '{"t":{"0":1}}', '{"t":{"0":2}}', "3"
    zero = TopicPartition("t", 0)
    assert batch(startingOffsets=offsets).starting == SpecificOffsets({zero: 1})
    both = batch(startingOffsets=offsets, startingOffsetsByTimestamp=times)
    assert both.starting == SpecificTimes({zero: 2}, OnNoMatch.ERROR)
    strategy = {"startingOffsetsByTimestampStrategy": "latest"}
    all_three = batch(startingOffsets=offsets, startingOffsetsByTimestamp=times, startingTimestamp=time, **strategy)
    assert all_three.starting == GlobalTime(3, OnNoMatch.LATEST)


def test_options_of_a_trigger_are_taken_from_streams():
    options = stream(minOffsetsPerTrigger="3", maxTriggerDelay="2s", maxOffsetsPerTrigger="7")
    assert (options.min_offsets_per_trigger, options.max_trigger_delay_ms) == (3, 2000)
    assert options.max_offsets_per_trigger == 7


def test_a_prefix_for_groups_changes_nothing_since_tasks_are_in_none(caplog):
    assert stream(groupIdPrefix="job") == stream()
    assert not caplog.text


def test_options_that_nobody_knows_are_ignored(caplog):
    options = batch(whatever="1", **{"kafka.whatever": "2"})
    assert "whatever" not in options.client.settings
    assert "'['whatever']' were supplied but are not known" in caplog.text


def test_options_of_streams_are_warned_of_in_batch_queries(caplog):
    assert batch(maxOffsetsPerTrigger="5", commitOffsets="g").max_offsets_per_trigger == 5
    assert "maxOffsetsPerTrigger option ignored in batch queries" in caplog.text
    assert "commitOffsets option ignored in batch queries" in caplog.text


def test_checked_options_can_be_sent_to_tasks():
    options = batch(startingOffsets='{"t":{"0":1}}', **{"kafka.isolation.level": "read_committed"})
    again = pickle.loads(pickle.dumps(options))
    assert again == options
    assert again.client.bootstrap == ClientOptions.of({"bootstrap.servers": "localhost:9092"}).bootstrap


def test_offsets_are_written_as_sparks_checkpoints_hold_them():
    offsets = parse_offsets('{"b":{"10":3,"2":-1},"a":{"0":7}}')
    assert to_plain(offsets) == {"a": {"0": 7}, "b": {"2": -1, "10": 3}}
    assert from_plain(to_plain(offsets)) == offsets


@pytest.mark.parametrize(
    ("text", "ms"), [("15m", 900_000), ("2s", 2000), ("250ms", 250), ("40", 40), ("1h", 3_600_000)]
)
def test_times_are_read_as_spark_reads_them(text, ms):
    assert time_ms(text) == ms


def test_a_time_without_a_known_unit_is_refused():
    with pytest.raises(ValueError, match="Failed to parse time string: 3 fortnights"):
        time_ms("3 fortnights")
