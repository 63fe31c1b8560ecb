"""LeaderAndIsr (key 4): the controller tells a broker which partitions it leads or follows."""

from ottla.protocol.schema import Request, Response, Struct, array, boolean, int8, int16, int32, int64, string, uuid_


class LeaderAndIsrPartitionState(Struct):
    topic_name = string("0-1")
    partition_index = int32()
    controller_epoch = int32()
    leader = int32()
    leader_epoch = int32()
    isr = array(int32)
    partition_epoch = int32()
    replicas = array(int32)
    adding_replicas = array(int32, "3+")
    removing_replicas = array(int32, "3+")
    is_new = boolean("1+")
    leader_recovery_state = int8("6+")


class LeaderAndIsrTopicState(Struct):
    topic_name = string("2+")
    topic_id = uuid_("5+")
    partition_states = array(LeaderAndIsrPartitionState, "2+")


class LeaderAndIsrLiveLeader(Struct):
    broker_id = int32()
    host_name = string()
    port = int32()


class LeaderAndIsrRequest(Request, key=4, versions="0-7", flexible="4+"):
    ELEMENTS_MAX = None

    controller_id = int32()
    is_kraft_controller = boolean("7+")
    controller_epoch = int32()
    broker_epoch = int64("2+", default=-1)
    type = int8("5+")
    ungrouped_partition_states = array(LeaderAndIsrPartitionState, "0-1")
    topic_states = array(LeaderAndIsrTopicState, "2+")
    live_leaders = array(LeaderAndIsrLiveLeader)


class LeaderAndIsrPartitionError(Struct):
    topic_name = string("0-4")
    partition_index = int32()
    error_code = int16()


class LeaderAndIsrTopicError(Struct):
    topic_id = uuid_("5+")
    partition_errors = array(LeaderAndIsrPartitionError, "5+")


class LeaderAndIsrResponse(Response, key=4, versions="0-7", flexible="4+"):
    error_code = int16()
    partition_errors = array(LeaderAndIsrPartitionError, "0-4")
    topics = array(LeaderAndIsrTopicError, "5+")
