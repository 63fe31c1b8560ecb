"""ShareGroupHeartbeat (key 76): members of a share group join, get partitions and leave (KIP-932)."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    int16,
    int32,
    nullable_array,
    nullable_string,
    nullable_struct,
    string,
    uuid_,
)


class ShareGroupHeartbeatRequest(Request, key=76, versions="0-1", flexible="0+"):
    group_id = string()
    member_id = string()
    member_epoch = int32()
    rack_id = nullable_string(default=None)
    subscribed_topic_names = nullable_array(string, default=None)


class TopicPartitions(Struct):
    topic_id = uuid_()
    partitions = array(int32)


class Assignment(Struct):
    topic_partitions = array(TopicPartitions)


class ShareGroupHeartbeatResponse(Response, key=76, versions="0-1", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    error_message = nullable_string(default=None)
    member_id = nullable_string(default=None)
    member_epoch = int32()
    heartbeat_interval_ms = int32()
    assignment = nullable_struct(Assignment)
