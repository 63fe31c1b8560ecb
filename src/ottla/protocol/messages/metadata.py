"""Metadata (key 3): tells clients the brokers, topics and partition leaders."""

from ottla.protocol import schema as s


class MetadataRequestTopic(s.Struct):
    topic_id = s.uuid_("10+")
    name = s.nullable_string(nullable="10+")
class MetadataRequest(s.Request, key=3, versions="0-13", flexible="9+"):
    topics = s.nullable_array(MetadataRequestTopic, nullable="1+")
    allow_auto_topic_creation = s.boolean("4+", default=True)
    include_cluster_authorized_operations = s.boolean("8-10")
    include_topic_authorized_operations = s.boolean("8+")

class MetadataResponseBroker(s.Struct):
    node_id = s.int32()
    host = s.string()
    port = s.int32()
    rack = s.nullable_string("1+", default=None)
class MetadataResponsePartition(s.Struct):
    error_code = s.int16()
    partition_index = s.int32()
    leader_id = s.int32()
    leader_epoch = s.int32("7+", default=-1)
    replica_nodes = s.array(s.int32)
    isr_nodes = s.array(s.int32)
    offline_replicas = s.array(s.int32, "5+")
class MetadataResponseTopic(s.Struct):
    error_code = s.int16()
    name = s.nullable_string(nullable="12+")
    topic_id = s.uuid_("10+")
    is_internal = s.boolean("1+")
    partitions = s.array(MetadataResponsePartition)
    topic_authorized_operations = s.int32("8+", default=-0x80000000)
class MetadataResponse(s.Response, key=3, versions="0-13", flexible="9+"):
    throttle_time_ms = s.int32("3+")
    brokers = s.array(MetadataResponseBroker)
    cluster_id = s.nullable_string("2+", default=None)
    controller_id = s.int32("1+", default=-1)
    topics = s.array(MetadataResponseTopic)
    cluster_authorized_operations = s.int32("8-10", default=-0x80000000)
    error_code = s.int16("13+")
