"""ControlledShutdown (key 7): a broker that wants to stop asks the controller to move its leaderships away."""

from ottla.protocol import schema as s


class ControlledShutdownRequest(s.Request, key=7, versions="0-3", flexible="3+"):
    broker_id = s.int32()
    broker_epoch = s.int64("2+", default=-1)

class RemainingPartition(s.Struct):
    topic_name = s.string()
    partition_index = s.int32()
class ControlledShutdownResponse(s.Response, key=7, versions="0-3", flexible="3+"):
    error_code = s.int16()
    remaining_partitions = s.array(RemainingPartition)
