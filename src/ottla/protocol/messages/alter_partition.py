"""AlterPartition (key 56): a leader asks the controller to change the in-sync replicas (KIP-497)."""

from ottla.protocol.schema import Request, Response, Struct, array, int8, int16, int32, int64, string, uuid_


class BrokerState(Struct):
    broker_id = int32("3+")
    broker_epoch = int64("3+", default=-1)


class RequestPartitionData(Struct):
    partition_index = int32()
    leader_epoch = int32()
    new_isr = array(int32, "0-2")
    new_isr_with_epochs = array(BrokerState, "3+")
    leader_recovery_state = int8("1+")
    partition_epoch = int32()


class RequestTopicData(Struct):
    topic_name = string("0-1")
    topic_id = uuid_("2+")
    partitions = array(RequestPartitionData)


class AlterPartitionRequest(Request, key=56, versions="0-3", flexible="0+"):
    ELEMENTS_MAX = None

    broker_id = int32()
    broker_epoch = int64(default=-1)
    topics = array(RequestTopicData)


class ResponsePartitionData(Struct):
    partition_index = int32()
    error_code = int16()
    leader_id = int32()
    leader_epoch = int32()
    isr = array(int32)
    leader_recovery_state = int8("1+")
    partition_epoch = int32()


class ResponseTopicData(Struct):
    topic_name = string("0-1")
    topic_id = uuid_("2+")
    partitions = array(ResponsePartitionData)


class AlterPartitionResponse(Response, key=56, versions="0-3", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    topics = array(ResponseTopicData)
