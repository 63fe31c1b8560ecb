"""ControlledShutdown (key 7): a broker that wants to stop asks the controller to move its leaderships away."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, int64, string


class ControlledShutdownRequest(Request, key=7, versions="0-3", flexible="3+"):
    broker_id = int32()
    broker_epoch = int64("2+", default=-1)


class RemainingPartition(Struct):
    topic_name = string()
    partition_index = int32()


class ControlledShutdownResponse(Response, key=7, versions="0-3", flexible="3+"):
    error_code = int16()
    remaining_partitions = array(RemainingPartition)
