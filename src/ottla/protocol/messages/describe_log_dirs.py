"""DescribeLogDirs (key 35): the log directories of a broker and what lies in them."""

from ottla.protocol import schema as s


class DescribableLogDirTopic(s.Struct):
    topic = s.string()
    partitions = s.array(s.int32)
class DescribeLogDirsRequest(s.Request, key=35, versions="0-5", flexible="2+"):
    topics = s.nullable_array(DescribableLogDirTopic)

class DescribeLogDirsPartition(s.Struct):
    partition_index = s.int32()
    partition_size = s.int64()
    offset_lag = s.int64()
    is_future_key = s.boolean()
class DescribeLogDirsTopic(s.Struct):
    name = s.string()
    partitions = s.array(DescribeLogDirsPartition)
class DescribeLogDirsResult(s.Struct):
    error_code = s.int16()
    log_dir = s.string()
    topics = s.array(DescribeLogDirsTopic)
    total_bytes = s.int64("4+", default=-1)
    usable_bytes = s.int64("4+", default=-1)
    is_cordoned = s.boolean("5+")
class DescribeLogDirsResponse(s.Response, key=35, versions="0-5", flexible="2+"):
    throttle_time_ms = s.int32()
    error_code = s.int16("3+")
    results = s.array(DescribeLogDirsResult)
