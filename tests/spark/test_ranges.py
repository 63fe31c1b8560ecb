"""Ranges of offsets as Arrow batches: exact, in order, whatever the log looks like and whatever goes wrong."""

import pickle
import socket

import pyarrow as pa
import pytest

import ottla
from ottla.clients.errors import NoBrokerError
from ottla.errors import ErrorCode
from ottla.errors.kafka import CorruptMessageError, TopicAuthorizationFailedError
from ottla.model import TopicPartition
from ottla.protocol.messages.fetch import AbortedTransaction
from ottla.records.attributes import Codec, TimestampType
from ottla.records.control import ControlType, encode_end_txn_batch
from ottla.records.legacy import down_convert
from ottla.records.record import Record, encode_batch
from ottla.spark.broker_link import BrokerLink
from ottla.spark.errors import DataLossError, TimestampError
from ottla.spark.options import ClientOptions
from ottla.spark.ranges import OffsetRange, read_range, read_ranges
from ottla.spark.schema import arrow_schema
from support.scripted_log import TOPIC, ScriptedLog

QUICK = {"retry.backoff.ms": "1", "retry.backoff.max.ms": "1"}


def batch(*offsets, **fields):
    return encode_batch([Record(offset, 1000 + offset, b"k", b"v%d" % offset) for offset in offsets], **fields)


def read(log, start, end, *, settings=None, **options):
    client = ClientOptions.of({"bootstrap.servers": log.address} | QUICK | (settings or {}))
    return list(read_range(client, OffsetRange(TOPIC, 0, start, end), **options))


def offsets_of(batches):
    return [offset for found in batches for offset in found.column("offset").to_pylist()]


@pytest.mark.parametrize("codec", list(Codec))
def test_a_range_is_cut_out_of_the_batches_that_hold_it(codec):
    with ScriptedLog([batch(0, 1, 2, 3, compression=codec), batch(4, 5, 6, 7, compression=codec)]) as log:
        (found,) = read(log, 2, 6)
    assert found.schema == arrow_schema(include_headers=False)
    assert found.to_pydict()["value"] == [b"v2", b"v3", b"v4", b"v5"]
    assert offsets_of([found]) == [2, 3, 4, 5]
    assert found.column("timestamp").cast(pa.int64()).to_pylist() == [1_002_000, 1_003_000, 1_004_000, 1_005_000]


def test_gaps_of_a_compacted_log_are_passed_over():
    empty = encode_batch([], base_offset=20, last_offset=29)
    with ScriptedLog([batch(3, 7), batch(12), empty, batch(30, 31)]) as log:
        assert offsets_of(read(log, 0, 31)) == [3, 7, 12, 30]


def test_a_range_of_which_nothing_is_left_is_empty():
    with ScriptedLog([batch(3, 7), batch(40)]) as log:
        assert read(log, 8, 40) == []


def test_a_range_whose_end_was_compacted_away_ends():
    with ScriptedLog([batch(3, 7)]) as log:
        log.high_watermark = 40
        assert offsets_of(read(log, 0, 40)) == [3, 7]
        assert offsets_of(read(log, 0, 40, isolation_level="read_committed")) == [3, 7]


def test_both_timestamp_types_may_be_in_one_batch():
    later = batch(1, timestamp_type=TimestampType.LOG_APPEND_TIME)
    with ScriptedLog([batch(0), later]) as log:
        (found,) = read(log, 0, 2)
    assert found.column("timestampType").to_pylist() == [0, 1]


def test_a_timestamp_that_spark_cannot_hold_is_named():
    rows = [Record(4, 5, None, b""), Record(5, 2**62, None, b"")]
    with ScriptedLog([encode_batch(rows)]) as log, pytest.raises(TimestampError) as refused:
        read(log, 4, 6)
    assert f"topic {TOPIC} partition 0 offset 5 has timestamp value {2**62}" in str(refused.value)
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_headers_are_lists_and_null_where_there_are_none():
    rows = [Record(0, 0, None, None, (("a", b"1"), ("b", None))), Record(1, 0, b"", b"", ())]
    with ScriptedLog([encode_batch(rows)]) as log:
        (found,) = read(log, 0, 2, include_headers=True)
    assert found.schema == arrow_schema(include_headers=True)
    assert found.column("headers").to_pylist() == [[{"key": "a", "value": b"1"}, {"key": "b", "value": None}], None]
    assert found.column("key").to_pylist() == [None, b""]


def test_old_message_formats_are_read_too():
    with ScriptedLog([down_convert(batch(5), 1)]) as log:
        (found,) = read(log, 5, 6)
    assert found.to_pydict()["value"] == [b"v5"]


def transactions():
    """Producer 7 aborts offsets 0 and 2, producer 8 commits offset 1, producer 7 commits offset 5."""
    markers = {"producer_epoch": 0, "coordinator_epoch": 0, "timestamp": 0}
    transactional = {"is_transactional": True, "producer_epoch": 0, "base_sequence": 0}
    return [
        batch(0, producer_id=7, **transactional),
        batch(1, producer_id=8, **transactional),
        batch(2, producer_id=7, **transactional),
        encode_end_txn_batch(ControlType.ABORT, producer_id=7, base_offset=3, **markers),
        encode_end_txn_batch(ControlType.COMMIT, producer_id=8, base_offset=4, **markers),
        batch(5, producer_id=7, **transactional),
        encode_end_txn_batch(ControlType.COMMIT, producer_id=7, base_offset=6, **markers),
    ]


def test_read_committed_leaves_out_aborted_records_and_markers_never_show():
    aborted = [AbortedTransaction(producer_id=7, first_offset=0)]
    with ScriptedLog(transactions(), aborted) as log:
        committed = read(log, 0, 7, isolation_level="read_committed")
        assert log.isolation_levels == {1}
        everything = read(log, 0, 7)
    assert offsets_of(committed) == [1, 5]
    assert offsets_of(everything) == [0, 1, 2, 5]


def test_records_larger_than_a_fetch_are_read():
    large = encode_batch([Record(0, 0, None, b"x" * 100_000)])
    with ScriptedLog([large, batch(1)]) as log:
        assert offsets_of(read(log, 0, 2, settings={"max.partition.fetch.bytes": "1000"})) == [0, 1]
        log.cuts_batches = True
        assert offsets_of(read(log, 0, 2, settings={"max.partition.fetch.bytes": "1000"})) == [0, 1]


def test_a_batch_that_is_cut_short_on_disk_is_an_error_that_names_its_offset():
    with ScriptedLog([batch(0), batch(1)]) as log:
        log.lost_bytes = 1
        with pytest.raises(CorruptMessageError, match="the batch at offset 1 of scripted-0"):
            read(log, 0, 2, poll_timeout_ms=50)


def test_batches_have_about_the_rows_that_were_asked_for():
    with ScriptedLog([batch(*range(at, at + 10)) for at in range(0, 100, 10)]) as log:
        assert [found.num_rows for found in read(log, 0, 100, batch_rows=25)] == [30, 30, 30, 10]


def test_a_leader_that_moves_is_looked_up_again_and_nothing_is_read_twice():
    with ScriptedLog([batch(0, 1), batch(2, 3)]) as log:
        log.faults.extend([ErrorCode.NOT_LEADER_OR_FOLLOWER, None, ErrorCode.FENCED_LEADER_EPOCH])
        found = read(log, 0, 4, settings={"max.partition.fetch.bytes": "1"})
        assert log.metadata_requests == 3
    assert offsets_of(found) == [0, 1, 2, 3]


def test_an_error_that_waiting_does_not_cure_is_raised():
    with ScriptedLog([batch(0)]) as log:
        log.faults.append(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
        with pytest.raises(TopicAuthorizationFailedError):
            read(log, 0, 1)


def test_records_that_aged_out_fail_the_job():
    with ScriptedLog([batch(5, 6)]) as log:
        log.first_offset = 5
        with pytest.raises(DataLossError, match=r"Could not read records in offset \[2, 5\) for topic partition"):
            read(log, 2, 7)


def test_records_that_aged_out_are_passed_over_where_that_is_tolerated(caplog):
    with ScriptedLog([batch(5, 6)]) as log:
        log.first_offset = 5
        assert offsets_of(read(log, 2, 7, fail_on_data_loss=False)) == [5, 6]
        assert read(log, 2, 4, fail_on_data_loss=False) == []
    assert 'set the source option "failOnDataLoss" to "true"' in caplog.text


def test_a_log_that_ends_early_is_waited_for_and_then_lost():
    with ScriptedLog([batch(0)]) as log:
        with pytest.raises(DataLossError, match="Cannot fetch record for offset 1 in 1 milliseconds"):
            read(log, 0, 9, poll_timeout_ms=1)
        assert offsets_of(read(log, 0, 9, poll_timeout_ms=1, fail_on_data_loss=False)) == [0]


def test_a_broker_that_dies_in_the_middle_is_waited_for():
    from ottla.testing import EmbeddedBroker

    with EmbeddedBroker(process=True) as broker:
        topic = broker.create_topic("restarted")
        with ottla.Producer(broker.bootstrap_servers) as producer:
            for _ in range(5):
                producer.send_many(topic, [b"x" * 100] * 2000).result(30)
        client = ClientOptions.of({"bootstrap.servers": broker.bootstrap_servers, "max.partition.fetch.bytes": "50000"})
        batches = read_range(client, OffsetRange(topic, 0, 0, 10_000))
        found = [next(batches)]
        broker.brokers[0].kill()
        broker.brokers[0].start()
        found += batches
    assert offsets_of(found) == list(range(10_000))


def test_a_deleted_topic_is_data_loss(ottla_broker, ottla_topic, monkeypatch):
    monkeypatch.setattr("ottla.spark.range_fetcher.UNKNOWN_TOPIC_S_MAX", 0.0)
    client = ClientOptions.of({"bootstrap.servers": ottla_broker.bootstrap_servers} | QUICK)
    wanted = OffsetRange("never-created", 0, 0, 10)
    with pytest.raises(DataLossError, match=r"Could not read records in offset \[0, 10\)"):
        list(read_range(client, wanted))
    assert list(read_range(client, wanted, fail_on_data_loss=False)) == []


def test_a_broker_that_cannot_be_reached_is_named_once_while_it_is_tried_again(caplog, monkeypatch):
    monkeypatch.setattr("ottla.spark.range_fetcher.QUIET_RETRIES_S_MAX", 0.0)
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound and not listening: refuses, and nobody else gets the port
        address = f"127.0.0.1:{held.getsockname()[1]}"
        client = ClientOptions.of({"bootstrap.servers": address} | QUICK)
        with pytest.raises(NoBrokerError, match=address):
            list(read_range(client, OffsetRange(TOPIC, 0, 0, 10), poll_timeout_ms=100))
    (said,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert address in said


def test_what_the_driver_asks_of_the_cluster(ottla_broker):
    from ottla.spark.offsets import ClusterOffsets

    topic = ottla_broker.create_topic("asked", partitions=2)
    first, second = TopicPartition(topic, 0), TopicPartition(topic, 1)
    with ottla.Producer(ottla_broker.bootstrap_servers) as producer:
        producer.send(topic, b"a", partition=0, timestamp_ms=1000).result(30)
        producer.send(topic, b"b", partition=0, timestamp_ms=2000).result(30)
    client = ClientOptions.of({"bootstrap.servers": ottla_broker.bootstrap_servers})
    with ClusterOffsets(client) as cluster:
        assert topic in cluster.topic_names()
        assert cluster.partitions([topic]) == [first, second]
        assert cluster.earliest([first, second]) == {first: 0, second: 0}
        assert cluster.latest([first, second]) == {first: 2, second: 0}
        assert cluster.at_times({first: 1500, second: 0}) == {first: 1, second: None}
        cluster.commit("asked-group", {first: 1})
        assert cluster.committed("asked-group") == {first: 1}
        cluster.close()
        assert cluster.latest([first]) == {first: 2}, "a closed one opens again"


def test_the_ranges_of_a_task_share_their_connections(ottla_broker, monkeypatch):
    topic = ottla_broker.create_topic("shared-links", partitions=20)
    with ottla.Producer(ottla_broker.bootstrap_servers) as producer:
        for partition in range(20):
            producer.send(topic, b"v", partition=partition).result(30)
    client = ClientOptions.of({"bootstrap.servers": ottla_broker.bootstrap_servers})
    opened = []
    connect = BrokerLink._connect
    monkeypatch.setattr(BrokerLink, "_connect", lambda link: opened.append(link.address) or connect(link))
    ranges = [OffsetRange(topic, partition, 0, 1) for partition in range(20)]
    options = {"include_headers": False, "fail_on_data_loss": True, "batch_rows": 1000, "poll_timeout_ms": 30_000}
    batches = list(read_ranges(client, ranges, **options))
    assert [found.column("partition").to_pylist() for found in batches] == [[partition] for partition in range(20)]
    assert len(opened) == 1
