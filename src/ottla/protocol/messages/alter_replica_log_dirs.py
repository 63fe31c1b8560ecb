"""AlterReplicaLogDirs (key 34): moves replicas to other log directories of the same broker."""

from ottla.protocol import schema as s


class AlterReplicaLogDirTopic(s.Struct):
    name = s.string()
    partitions = s.array(s.int32)
class AlterReplicaLogDir(s.Struct):
    path = s.string()
    topics = s.array(AlterReplicaLogDirTopic)
class AlterReplicaLogDirsRequest(s.Request, key=34, versions="0-2", flexible="2+"):
    dirs = s.array(AlterReplicaLogDir)

class AlterReplicaLogDirPartitionResult(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
class AlterReplicaLogDirTopicResult(s.Struct):
    topic_name = s.string()
    partitions = s.array(AlterReplicaLogDirPartitionResult)
class AlterReplicaLogDirsResponse(s.Response, key=34, versions="0-2", flexible="2+"):
    throttle_time_ms = s.int32()
    results = s.array(AlterReplicaLogDirTopicResult)
