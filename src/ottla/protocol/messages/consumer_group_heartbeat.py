"""ConsumerGroupHeartbeat (key 68): the one request by which members of a KIP-848 group join, get partitions and
leave.
"""

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


class TopicPartitions(Struct):
    topic_id = uuid_()
    partitions = array(int32)


class ConsumerGroupHeartbeatRequest(Request, key=68, versions="0-1", flexible="0+"):
    group_id = string()
    member_id = string()
    member_epoch = int32()
    instance_id = nullable_string(default=None)
    rack_id = nullable_string(default=None)
    rebalance_timeout_ms = int32(default=-1)
    subscribed_topic_names = nullable_array(string, default=None)
    subscribed_topic_regex = nullable_string("1+", default=None)
    server_assignor = nullable_string(default=None)
    topic_partitions = nullable_array(TopicPartitions, default=None)


class Assignment(Struct):
    topic_partitions = array(TopicPartitions)


class ConsumerGroupHeartbeatResponse(Response, key=68, versions="0-1", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    error_message = nullable_string(default=None)
    member_id = nullable_string(default=None)
    member_epoch = int32()
    heartbeat_interval_ms = int32()
    assignment = nullable_struct(Assignment)
