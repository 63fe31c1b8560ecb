"""AlterReplicaLogDirs (key 34): moves replicas to other log directories of the same broker."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, string


class AlterReplicaLogDirTopic(Struct):
    name = string()
    partitions = array(int32)


class AlterReplicaLogDir(Struct):
    path = string()
    topics = array(AlterReplicaLogDirTopic)


class AlterReplicaLogDirsRequest(Request, key=34, versions="0-2", flexible="2+"):
    dirs = array(AlterReplicaLogDir)


class AlterReplicaLogDirPartitionResult(Struct):
    partition_index = int32()
    error_code = int16()


class AlterReplicaLogDirTopicResult(Struct):
    topic_name = string()
    partitions = array(AlterReplicaLogDirPartitionResult)


class AlterReplicaLogDirsResponse(Response, key=34, versions="0-2", flexible="2+"):
    throttle_time_ms = int32()
    results = array(AlterReplicaLogDirTopicResult)
