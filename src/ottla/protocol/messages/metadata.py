"""Metadata (key 3): tells clients the brokers, topics and partition leaders."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    boolean,
    int16,
    int32,
    nullable_array,
    nullable_string,
    string,
    uuid_,
)


class MetadataRequestTopic(Struct):
    topic_id = uuid_("10+")
    name = nullable_string(nullable="10+")


class MetadataRequest(Request, key=3, versions="0-13", flexible="9+"):
    topics = nullable_array(MetadataRequestTopic, nullable="1+")
    allow_auto_topic_creation = boolean("4+", default=True)
    include_cluster_authorized_operations = boolean("8-10")
    include_topic_authorized_operations = boolean("8+")


class MetadataResponseBroker(Struct):
    node_id = int32()
    host = string()
    port = int32()
    rack = nullable_string("1+", default=None)


class MetadataResponsePartition(Struct):
    error_code = int16()
    partition_index = int32()
    leader_id = int32()
    leader_epoch = int32("7+", default=-1)
    replica_nodes = array(int32)
    isr_nodes = array(int32)
    offline_replicas = array(int32, "5+")


class MetadataResponseTopic(Struct):
    error_code = int16()
    name = nullable_string(nullable="12+")
    topic_id = uuid_("10+")
    is_internal = boolean("1+")
    partitions = array(MetadataResponsePartition)
    topic_authorized_operations = int32("8+", default=-0x80000000)


class MetadataResponse(Response, key=3, versions="0-13", flexible="9+"):
    throttle_time_ms = int32("3+")
    brokers = array(MetadataResponseBroker)
    cluster_id = nullable_string("2+", default=None)
    controller_id = int32("1+", default=-1)
    topics = array(MetadataResponseTopic)
    cluster_authorized_operations = int32("8-10", default=-0x80000000)
    error_code = int16("13+")
