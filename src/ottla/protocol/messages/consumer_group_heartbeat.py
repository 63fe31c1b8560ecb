"""ConsumerGroupHeartbeat (key 68): the one request by which members of a KIP-848 group join, get partitions and
leave.
"""

from ottla.protocol import schema as s


class TopicPartitions(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(s.int32)
class ConsumerGroupHeartbeatRequest(s.Request, key=68, versions="0-1", flexible="0+"):
    group_id = s.string()
    member_id = s.string()
    member_epoch = s.int32()
    instance_id = s.nullable_string(default=None)
    rack_id = s.nullable_string(default=None)
    rebalance_timeout_ms = s.int32(default=-1)
    subscribed_topic_names = s.nullable_array(s.string, default=None)
    subscribed_topic_regex = s.nullable_string("1+", default=None)
    server_assignor = s.nullable_string(default=None)
    topic_partitions = s.nullable_array(TopicPartitions, default=None)

class Assignment(s.Struct):
    topic_partitions = s.array(TopicPartitions)
class ConsumerGroupHeartbeatResponse(s.Response, key=68, versions="0-1", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    member_id = s.nullable_string(default=None)
    member_epoch = s.int32()
    heartbeat_interval_ms = s.int32()
    assignment = s.nullable_struct(Assignment)
