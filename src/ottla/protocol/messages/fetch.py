"""Fetch (key 1): reads record batches from partitions, for consumers and for followers; waits until `min_bytes` are
there. Topics are named up to version 12 and given by id from 13 on (KIP-516); sessions from 7 on (KIP-227).
"""

from ottla.protocol import schema as s


class ReplicaState(s.Struct):
    replica_id = s.int32("15+", default=-1)
    replica_epoch = s.int64("15+", default=-1)
class FetchPartition(s.Struct):
    partition = s.int32()
    current_leader_epoch = s.int32("9+", default=-1)
    fetch_offset = s.int64()
    last_fetched_epoch = s.int32("12+", default=-1)
    log_start_offset = s.int64("5+", default=-1)
    partition_max_bytes = s.int32()
    replica_directory_id = s.uuid_("17+", tag=0)
    high_watermark = s.int64("18+", default=0x7FFFFFFFFFFFFFFF, tag=1)
class FetchTopic(s.Struct):
    topic = s.string("0-12")
    topic_id = s.uuid_("13+")
    partitions = s.array(FetchPartition)
class ForgottenTopic(s.Struct):
    topic = s.string("7-12")
    topic_id = s.uuid_("13+")
    partitions = s.array(s.int32, "7+")
class FetchRequest(s.Request, key=1, versions="0-18", flexible="12+"):
    cluster_id = s.nullable_string("12+", default=None, tag=0)
    replica_id = s.int32("0-14", default=-1)
    replica_state = s.struct_(ReplicaState, "15+", tag=1)
    max_wait_ms = s.int32()
    min_bytes = s.int32()
    max_bytes = s.int32("3+", default=0x7FFFFFFF)
    isolation_level = s.int8("4+")
    session_id = s.int32("7+")
    session_epoch = s.int32("7+", default=-1)
    topics = s.array(FetchTopic)
    forgotten_topics_data = s.array(ForgottenTopic, "7+")
    rack_id = s.string("11+")

class EpochEndOffset(s.Struct):
    epoch = s.int32("12+", default=-1)
    end_offset = s.int64("12+", default=-1)
class LeaderIdAndEpoch(s.Struct):
    leader_id = s.int32("12+", default=-1)
    leader_epoch = s.int32("12+", default=-1)
class SnapshotId(s.Struct):
    end_offset = s.int64(default=-1)
    epoch = s.int32(default=-1)
class AbortedTransaction(s.Struct):
    producer_id = s.int64("4+")
    first_offset = s.int64("4+")
class PartitionData(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
    high_watermark = s.int64()
    last_stable_offset = s.int64("4+", default=-1)
    log_start_offset = s.int64("5+", default=-1)
    diverging_epoch = s.struct_(EpochEndOffset, "12+", tag=0)
    current_leader = s.struct_(LeaderIdAndEpoch, "12+", tag=1)
    snapshot_id = s.struct_(SnapshotId, "12+", tag=2)
    aborted_transactions = s.nullable_array(AbortedTransaction, "4+")
    preferred_read_replica = s.int32("11+", default=-1)
    records = s.nullable_records()
class FetchableTopicResponse(s.Struct):
    topic = s.string("0-12")
    topic_id = s.uuid_("13+")
    partitions = s.array(PartitionData)
class NodeEndpoint(s.Struct):
    node_id = s.int32("16+")
    host = s.string("16+")
    port = s.int32("16+")
    rack = s.nullable_string("16+", default=None)
class FetchResponse(s.Response, key=1, versions="0-18", flexible="12+"):
    throttle_time_ms = s.int32("1+")
    error_code = s.int16("7+")
    session_id = s.int32("7+")
    responses = s.array(FetchableTopicResponse)
    node_endpoints = s.array(NodeEndpoint, "16+", tag=0)
