"""CreateTopics (key 19): creates topics."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    boolean,
    int8,
    int16,
    int32,
    nullable_array,
    nullable_string,
    string,
    uuid_,
)


class CreatableReplicaAssignment(Struct):
    partition_index = int32()
    broker_ids = array(int32)


class CreatableTopicConfig(Struct):
    name = string()
    value = nullable_string()


class CreatableTopic(Struct):
    name = string()
    num_partitions = int32()
    replication_factor = int16()
    assignments = array(CreatableReplicaAssignment)
    configs = array(CreatableTopicConfig)


class CreateTopicsRequest(Request, key=19, versions="0-7", flexible="5+"):
    topics = array(CreatableTopic)
    timeout_ms = int32(default=60000)
    validate_only = boolean("1+")


class CreatableTopicConfigs(Struct):
    name = string("5+")
    value = nullable_string("5+")
    read_only = boolean("5+")
    config_source = int8("5+", default=-1)
    is_sensitive = boolean("5+")


class CreatableTopicResult(Struct):
    name = string()
    topic_id = uuid_("7+")
    error_code = int16()
    error_message = nullable_string("1+")
    topic_config_error_code = int16("5+", tag=0)
    num_partitions = int32("5+", default=-1)
    replication_factor = int16("5+", default=-1)
    configs = nullable_array(CreatableTopicConfigs, "5+")


class CreateTopicsResponse(Response, key=19, versions="0-7", flexible="5+"):
    throttle_time_ms = int32("2+")
    topics = array(CreatableTopicResult)
