"""LeaderAndIsr (key 4): the controller tells a broker which partitions it leads or follows."""

from ottla.protocol import schema as s


class LeaderAndIsrPartitionState(s.Struct):
    topic_name = s.string("0-1")
    partition_index = s.int32()
    controller_epoch = s.int32()
    leader = s.int32()
    leader_epoch = s.int32()
    isr = s.array(s.int32)
    partition_epoch = s.int32()
    replicas = s.array(s.int32)
    adding_replicas = s.array(s.int32, "3+")
    removing_replicas = s.array(s.int32, "3+")
    is_new = s.boolean("1+")
    leader_recovery_state = s.int8("6+")
class LeaderAndIsrTopicState(s.Struct):
    topic_name = s.string("2+")
    topic_id = s.uuid_("5+")
    partition_states = s.array(LeaderAndIsrPartitionState, "2+")
class LeaderAndIsrLiveLeader(s.Struct):
    broker_id = s.int32()
    host_name = s.string()
    port = s.int32()
class LeaderAndIsrRequest(s.Request, key=4, versions="0-7", flexible="4+"):
    ELEMENTS_MAX = None

    controller_id = s.int32()
    is_kraft_controller = s.boolean("7+")
    controller_epoch = s.int32()
    broker_epoch = s.int64("2+", default=-1)
    type = s.int8("5+")
    ungrouped_partition_states = s.array(LeaderAndIsrPartitionState, "0-1")
    topic_states = s.array(LeaderAndIsrTopicState, "2+")
    live_leaders = s.array(LeaderAndIsrLiveLeader)

class LeaderAndIsrPartitionError(s.Struct):
    topic_name = s.string("0-4")
    partition_index = s.int32()
    error_code = s.int16()
class LeaderAndIsrTopicError(s.Struct):
    topic_id = s.uuid_("5+")
    partition_errors = s.array(LeaderAndIsrPartitionError, "5+")
class LeaderAndIsrResponse(s.Response, key=4, versions="0-7", flexible="4+"):
    error_code = s.int16()
    partition_errors = s.array(LeaderAndIsrPartitionError, "0-4")
    topics = s.array(LeaderAndIsrTopicError, "5+")
