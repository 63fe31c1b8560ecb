"""CreatePartitions (key 37): adds partitions to topics."""

from ottla.protocol import schema as s


class CreatePartitionsAssignment(s.Struct):
    broker_ids = s.array(s.int32)
class CreatePartitionsTopic(s.Struct):
    name = s.string()
    count = s.int32()
    assignments = s.nullable_array(CreatePartitionsAssignment)
class CreatePartitionsRequest(s.Request, key=37, versions="0-3", flexible="2+"):
    topics = s.array(CreatePartitionsTopic)
    timeout_ms = s.int32()
    validate_only = s.boolean()

class CreatePartitionsTopicResult(s.Struct):
    name = s.string()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
class CreatePartitionsResponse(s.Response, key=37, versions="0-3", flexible="2+"):
    throttle_time_ms = s.int32()
    results = s.array(CreatePartitionsTopicResult)
