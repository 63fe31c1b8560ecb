"""Fetch (key 1): reads record batches from partitions, for consumers and for followers; waits until `min_bytes` are
there. Topics are named up to version 12 and given by id from 13 on (KIP-516); sessions from 7 on (KIP-227).
"""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    int8,
    int16,
    int32,
    int64,
    nullable_array,
    nullable_records,
    nullable_string,
    string,
    struct_,
    uuid_,
)


class ReplicaState(Struct):
    replica_id = int32("15+", default=-1)
    replica_epoch = int64("15+", default=-1)


class FetchPartition(Struct):
    partition = int32()
    current_leader_epoch = int32("9+", default=-1)
    fetch_offset = int64()
    last_fetched_epoch = int32("12+", default=-1)
    log_start_offset = int64("5+", default=-1)
    partition_max_bytes = int32()
    replica_directory_id = uuid_("17+", tag=0)
    high_watermark = int64("18+", default=0x7FFFFFFFFFFFFFFF, tag=1)


class FetchTopic(Struct):
    topic = string("0-12")
    topic_id = uuid_("13+")
    partitions = array(FetchPartition)


class ForgottenTopic(Struct):
    topic = string("7-12")
    topic_id = uuid_("13+")
    partitions = array(int32, "7+")


class FetchRequest(Request, key=1, versions="0-18", flexible="12+"):
    cluster_id = nullable_string("12+", default=None, tag=0)
    replica_id = int32("0-14", default=-1)
    replica_state = struct_(ReplicaState, "15+", tag=1)
    max_wait_ms = int32()
    min_bytes = int32()
    max_bytes = int32("3+", default=0x7FFFFFFF)
    isolation_level = int8("4+")
    session_id = int32("7+")
    session_epoch = int32("7+", default=-1)
    topics = array(FetchTopic)
    forgotten_topics_data = array(ForgottenTopic, "7+")
    rack_id = string("11+")


class EpochEndOffset(Struct):
    epoch = int32("12+", default=-1)
    end_offset = int64("12+", default=-1)


class LeaderIdAndEpoch(Struct):
    leader_id = int32("12+", default=-1)
    leader_epoch = int32("12+", default=-1)


class SnapshotId(Struct):
    end_offset = int64(default=-1)
    epoch = int32(default=-1)


class AbortedTransaction(Struct):
    producer_id = int64("4+")
    first_offset = int64("4+")


class PartitionData(Struct):
    partition_index = int32()
    error_code = int16()
    high_watermark = int64()
    last_stable_offset = int64("4+", default=-1)
    log_start_offset = int64("5+", default=-1)
    diverging_epoch = struct_(EpochEndOffset, "12+", tag=0)
    current_leader = struct_(LeaderIdAndEpoch, "12+", tag=1)
    snapshot_id = struct_(SnapshotId, "12+", tag=2)
    aborted_transactions = nullable_array(AbortedTransaction, "4+")
    preferred_read_replica = int32("11+", default=-1)
    records = nullable_records()


class FetchableTopicResponse(Struct):
    topic = string("0-12")
    topic_id = uuid_("13+")
    partitions = array(PartitionData)


class NodeEndpoint(Struct):
    node_id = int32("16+")
    host = string("16+")
    port = int32("16+")
    rack = nullable_string("16+", default=None)


class FetchResponse(Response, key=1, versions="0-18", flexible="12+"):
    throttle_time_ms = int32("1+")
    error_code = int16("7+")
    session_id = int32("7+")
    responses = array(FetchableTopicResponse)
    node_endpoints = array(NodeEndpoint, "16+", tag=0)
