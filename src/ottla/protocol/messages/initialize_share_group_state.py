"""InitializeShareGroupState (key 83): begins the state of a share group's partitions (KIP-932)."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, int64, nullable_string, string, uuid_


class PartitionData(Struct):
    partition = int32()
    state_epoch = int32()
    start_offset = int64()


class InitializeStateData(Struct):
    topic_id = uuid_()
    partitions = array(PartitionData)


class InitializeShareGroupStateRequest(Request, key=83, versions="0", flexible="0+"):
    group_id = string()
    topics = array(InitializeStateData)


class PartitionResult(Struct):
    partition = int32()
    error_code = int16()
    error_message = nullable_string(default=None)


class InitializeStateResult(Struct):
    topic_id = uuid_()
    partitions = array(PartitionResult)


class InitializeShareGroupStateResponse(Response, key=83, versions="0", flexible="0+"):
    results = array(InitializeStateResult)
