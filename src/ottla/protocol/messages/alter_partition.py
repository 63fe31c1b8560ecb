"""AlterPartition (key 56): a leader asks the controller to change the in-sync replicas (KIP-497)."""

from ottla.protocol import schema as s


class BrokerState(s.Struct):
    broker_id = s.int32("3+")
    broker_epoch = s.int64("3+", default=-1)
class RequestPartitionData(s.Struct):
    partition_index = s.int32()
    leader_epoch = s.int32()
    new_isr = s.array(s.int32, "0-2")
    new_isr_with_epochs = s.array(BrokerState, "3+")
    leader_recovery_state = s.int8("1+")
    partition_epoch = s.int32()
class RequestTopicData(s.Struct):
    topic_name = s.string("0-1")
    topic_id = s.uuid_("2+")
    partitions = s.array(RequestPartitionData)
class AlterPartitionRequest(s.Request, key=56, versions="0-3", flexible="0+"):
    ELEMENTS_MAX = None

    broker_id = s.int32()
    broker_epoch = s.int64(default=-1)
    topics = s.array(RequestTopicData)

class ResponsePartitionData(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
    leader_id = s.int32()
    leader_epoch = s.int32()
    isr = s.array(s.int32)
    leader_recovery_state = s.int8("1+")
    partition_epoch = s.int32()
class ResponseTopicData(s.Struct):
    topic_name = s.string("0-1")
    topic_id = s.uuid_("2+")
    partitions = s.array(ResponsePartitionData)
class AlterPartitionResponse(s.Response, key=56, versions="0-3", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    topics = s.array(ResponseTopicData)
