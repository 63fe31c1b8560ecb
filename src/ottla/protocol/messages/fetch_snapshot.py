"""FetchSnapshot (key 59): fetches a piece of a KRaft snapshot (KIP-630)."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    int16,
    int32,
    int64,
    nullable_string,
    records,
    string,
    struct_,
    uint16,
    uuid_,
)


class SnapshotId(Struct):
    end_offset = int64()
    epoch = int32()


class RequestPartitionSnapshot(Struct):
    partition = int32()
    current_leader_epoch = int32()
    snapshot_id = struct_(SnapshotId)
    position = int64()
    replica_directory_id = uuid_("1+", tag=0)


class RequestTopicSnapshot(Struct):
    name = string()
    partitions = array(RequestPartitionSnapshot)


class FetchSnapshotRequest(Request, key=59, versions="0-1", flexible="0+"):
    cluster_id = nullable_string(default=None, tag=0)
    replica_id = int32(default=-1)
    max_bytes = int32(default=0x7FFFFFFF)
    topics = array(RequestTopicSnapshot)


class LeaderIdAndEpoch(Struct):
    leader_id = int32()
    leader_epoch = int32()


class ResponsePartitionSnapshot(Struct):
    index = int32()
    error_code = int16()
    snapshot_id = struct_(SnapshotId)
    current_leader = struct_(LeaderIdAndEpoch, tag=0)
    size = int64()
    position = int64()
    unaligned_records = records()


class ResponseTopicSnapshot(Struct):
    name = string()
    partitions = array(ResponsePartitionSnapshot)


class NodeEndpoint(Struct):
    node_id = int32("1+")
    host = string("1+")
    port = uint16("1+")


class FetchSnapshotResponse(Response, key=59, versions="0-1", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    topics = array(ResponseTopicSnapshot)
    node_endpoints = array(NodeEndpoint, "1+", tag=0)
