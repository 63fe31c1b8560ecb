"""CreateTopics (key 19): creates topics."""

from ottla.protocol import schema as s


class CreatableReplicaAssignment(s.Struct):
    partition_index = s.int32()
    broker_ids = s.array(s.int32)
class CreatableTopicConfig(s.Struct):
    name = s.string()
    value = s.nullable_string()
class CreatableTopic(s.Struct):
    name = s.string()
    num_partitions = s.int32()
    replication_factor = s.int16()
    assignments = s.array(CreatableReplicaAssignment)
    configs = s.array(CreatableTopicConfig)
class CreateTopicsRequest(s.Request, key=19, versions="0-7", flexible="5+"):
    topics = s.array(CreatableTopic)
    timeout_ms = s.int32(default=60000)
    validate_only = s.boolean("1+")

class CreatableTopicConfigs(s.Struct):
    name = s.string("5+")
    value = s.nullable_string("5+")
    read_only = s.boolean("5+")
    config_source = s.int8("5+", default=-1)
    is_sensitive = s.boolean("5+")
class CreatableTopicResult(s.Struct):
    name = s.string()
    topic_id = s.uuid_("7+")
    error_code = s.int16()
    error_message = s.nullable_string("1+")
    topic_config_error_code = s.int16("5+", tag=0)
    num_partitions = s.int32("5+", default=-1)
    replication_factor = s.int16("5+", default=-1)
    configs = s.nullable_array(CreatableTopicConfigs, "5+")
class CreateTopicsResponse(s.Response, key=19, versions="0-7", flexible="5+"):
    throttle_time_ms = s.int32("2+")
    topics = s.array(CreatableTopicResult)
