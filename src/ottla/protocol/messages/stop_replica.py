"""StopReplica (key 5): the controller tells a broker to stop replicas, and to delete some."""

from ottla.protocol.schema import Request, Response, Struct, array, boolean, int16, int32, int64, string


class StopReplicaPartitionV0(Struct):
    topic_name = string("0")
    partition_index = int32("0")


class StopReplicaTopicV1(Struct):
    name = string("1-2")
    partition_indexes = array(int32, "1-2")


class StopReplicaPartitionState(Struct):
    partition_index = int32("3+")
    leader_epoch = int32("3+", default=-1)
    delete_partition = boolean("3+")


class StopReplicaTopicState(Struct):
    topic_name = string("3+")
    partition_states = array(StopReplicaPartitionState, "3+")


class StopReplicaRequest(Request, key=5, versions="0-4", flexible="2+"):
    ELEMENTS_MAX = None

    controller_id = int32()
    is_kraft_controller = boolean("4+")
    controller_epoch = int32()
    broker_epoch = int64("1+", default=-1)
    delete_partitions = boolean("0-2")
    ungrouped_partitions = array(StopReplicaPartitionV0, "0")
    topics = array(StopReplicaTopicV1, "1-2")
    topic_states = array(StopReplicaTopicState, "3+")


class StopReplicaPartitionError(Struct):
    topic_name = string()
    partition_index = int32()
    error_code = int16()


class StopReplicaResponse(Response, key=5, versions="0-4", flexible="2+"):
    error_code = int16()
    partition_errors = array(StopReplicaPartitionError)
