"""UpdateMetadata (key 6): the controller tells every broker the state of the cluster."""

from ottla.protocol import schema as s


class UpdateMetadataPartitionState(s.Struct):
    topic_name = s.string("0-4")
    partition_index = s.int32()
    controller_epoch = s.int32()
    leader = s.int32()
    leader_epoch = s.int32()
    isr = s.array(s.int32)
    zk_version = s.int32()
    replicas = s.array(s.int32)
    offline_replicas = s.array(s.int32, "4+")
class UpdateMetadataTopicState(s.Struct):
    topic_name = s.string("5+")
    topic_id = s.uuid_("7+")
    partition_states = s.array(UpdateMetadataPartitionState, "5+")
class UpdateMetadataEndpoint(s.Struct):
    port = s.int32("1+")
    host = s.string("1+")
    listener = s.string("3+")
    security_protocol = s.int16("1+")
class UpdateMetadataBroker(s.Struct):
    id = s.int32()
    v0_host = s.string("0")
    v0_port = s.int32("0")
    endpoints = s.array(UpdateMetadataEndpoint, "1+")
    rack = s.nullable_string("2+")
class UpdateMetadataRequest(s.Request, key=6, versions="0-8", flexible="6+"):
    ELEMENTS_MAX = None

    controller_id = s.int32()
    is_kraft_controller = s.boolean("8+")
    type = s.int8("8+", tag=0)
    controller_epoch = s.int32()
    broker_epoch = s.int64("5+", default=-1)
    ungrouped_partition_states = s.array(UpdateMetadataPartitionState, "0-4")
    topic_states = s.array(UpdateMetadataTopicState, "5+")
    live_brokers = s.array(UpdateMetadataBroker)

class UpdateMetadataResponse(s.Response, key=6, versions="0-8", flexible="6+"):
    error_code = s.int16()
