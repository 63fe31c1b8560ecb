"""DeleteRecords (key 21): deletes what lies before an offset."""

from ottla.protocol import schema as s


class DeleteRecordsPartition(s.Struct):
    partition_index = s.int32()
    offset = s.int64()
class DeleteRecordsTopic(s.Struct):
    name = s.string()
    partitions = s.array(DeleteRecordsPartition)
class DeleteRecordsRequest(s.Request, key=21, versions="0-2", flexible="2+"):
    topics = s.array(DeleteRecordsTopic)
    timeout_ms = s.int32()

class DeleteRecordsPartitionResult(s.Struct):
    partition_index = s.int32()
    low_watermark = s.int64()
    error_code = s.int16()
class DeleteRecordsTopicResult(s.Struct):
    name = s.string()
    partitions = s.array(DeleteRecordsPartitionResult)
class DeleteRecordsResponse(s.Response, key=21, versions="0-2", flexible="2+"):
    throttle_time_ms = s.int32()
    topics = s.array(DeleteRecordsTopicResult)
