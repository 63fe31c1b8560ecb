"""AssignReplicasToDirs (key 73): a broker tells a KRaft controller in which log directory a replica lies (KIP-858)."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, int64, uuid_


class RequestPartitionData(Struct):
    partition_index = int32()


class RequestTopicData(Struct):
    topic_id = uuid_()
    partitions = array(RequestPartitionData)


class RequestDirectoryData(Struct):
    id = uuid_()
    topics = array(RequestTopicData)


class AssignReplicasToDirsRequest(Request, key=73, versions="0", flexible="0+"):
    broker_id = int32()
    broker_epoch = int64(default=-1)
    directories = array(RequestDirectoryData)


class ResponsePartitionData(Struct):
    partition_index = int32()
    error_code = int16()


class ResponseTopicData(Struct):
    topic_id = uuid_()
    partitions = array(ResponsePartitionData)


class ResponseDirectoryData(Struct):
    id = uuid_()
    topics = array(ResponseTopicData)


class AssignReplicasToDirsResponse(Response, key=73, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    directories = array(ResponseDirectoryData)
