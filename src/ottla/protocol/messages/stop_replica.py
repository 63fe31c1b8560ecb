"""StopReplica (key 5): the controller tells a broker to stop replicas, and to delete some."""

from ottla.protocol import schema as s


class StopReplicaPartitionV0(s.Struct):
    topic_name = s.string("0")
    partition_index = s.int32("0")
class StopReplicaTopicV1(s.Struct):
    name = s.string("1-2")
    partition_indexes = s.array(s.int32, "1-2")
class StopReplicaPartitionState(s.Struct):
    partition_index = s.int32("3+")
    leader_epoch = s.int32("3+", default=-1)
    delete_partition = s.boolean("3+")
class StopReplicaTopicState(s.Struct):
    topic_name = s.string("3+")
    partition_states = s.array(StopReplicaPartitionState, "3+")
class StopReplicaRequest(s.Request, key=5, versions="0-4", flexible="2+"):
    ELEMENTS_MAX = None

    controller_id = s.int32()
    is_kraft_controller = s.boolean("4+")
    controller_epoch = s.int32()
    broker_epoch = s.int64("1+", default=-1)
    delete_partitions = s.boolean("0-2")
    ungrouped_partitions = s.array(StopReplicaPartitionV0, "0")
    topics = s.array(StopReplicaTopicV1, "1-2")
    topic_states = s.array(StopReplicaTopicState, "3+")

class StopReplicaPartitionError(s.Struct):
    topic_name = s.string()
    partition_index = s.int32()
    error_code = s.int16()
class StopReplicaResponse(s.Response, key=5, versions="0-4", flexible="2+"):
    error_code = s.int16()
    partition_errors = s.array(StopReplicaPartitionError)
