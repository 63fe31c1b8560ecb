"""UpdateMetadata (key 6): the controller tells every broker the state of the cluster."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    boolean,
    int8,
    int16,
    int32,
    int64,
    nullable_string,
    string,
    uuid_,
)


class UpdateMetadataPartitionState(Struct):
    topic_name = string("0-4")
    partition_index = int32()
    controller_epoch = int32()
    leader = int32()
    leader_epoch = int32()
    isr = array(int32)
    zk_version = int32()
    replicas = array(int32)
    offline_replicas = array(int32, "4+")


class UpdateMetadataTopicState(Struct):
    topic_name = string("5+")
    topic_id = uuid_("7+")
    partition_states = array(UpdateMetadataPartitionState, "5+")


class UpdateMetadataEndpoint(Struct):
    port = int32("1+")
    host = string("1+")
    listener = string("3+")
    security_protocol = int16("1+")


class UpdateMetadataBroker(Struct):
    id = int32()
    v0_host = string("0")
    v0_port = int32("0")
    endpoints = array(UpdateMetadataEndpoint, "1+")
    rack = nullable_string("2+")


class UpdateMetadataRequest(Request, key=6, versions="0-8", flexible="6+"):
    ELEMENTS_MAX = None

    controller_id = int32()
    is_kraft_controller = boolean("8+")
    type = int8("8+", tag=0)
    controller_epoch = int32()
    broker_epoch = int64("5+", default=-1)
    ungrouped_partition_states = array(UpdateMetadataPartitionState, "0-4")
    topic_states = array(UpdateMetadataTopicState, "5+")
    live_brokers = array(UpdateMetadataBroker)


class UpdateMetadataResponse(Response, key=6, versions="0-8", flexible="6+"):
    error_code = int16()
