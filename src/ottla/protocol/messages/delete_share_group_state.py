"""DeleteShareGroupState (key 86): deletes the state of a share group's partitions (KIP-932)."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, nullable_string, string, uuid_


class PartitionData(Struct):
    partition = int32()


class DeleteStateData(Struct):
    topic_id = uuid_()
    partitions = array(PartitionData)


class DeleteShareGroupStateRequest(Request, key=86, versions="0", flexible="0+"):
    group_id = string()
    topics = array(DeleteStateData)


class PartitionResult(Struct):
    partition = int32()
    error_code = int16()
    error_message = nullable_string(default=None)


class DeleteStateResult(Struct):
    topic_id = uuid_()
    partitions = array(PartitionResult)


class DeleteShareGroupStateResponse(Response, key=86, versions="0", flexible="0+"):
    results = array(DeleteStateResult)
