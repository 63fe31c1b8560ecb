"""ReadShareGroupState (key 84): reads the state of a share group's partitions (KIP-932)."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    int8,
    int16,
    int32,
    int64,
    nullable_string,
    string,
    uuid_,
)


class PartitionData(Struct):
    partition = int32()
    leader_epoch = int32()


class ReadStateData(Struct):
    topic_id = uuid_()
    partitions = array(PartitionData)


class ReadShareGroupStateRequest(Request, key=84, versions="0", flexible="0+"):
    group_id = string()
    topics = array(ReadStateData)


class StateBatch(Struct):
    first_offset = int64()
    last_offset = int64()
    delivery_state = int8()
    delivery_count = int16()


class PartitionResult(Struct):
    partition = int32()
    error_code = int16()
    error_message = nullable_string(default=None)
    state_epoch = int32()
    start_offset = int64()
    state_batches = array(StateBatch)


class ReadStateResult(Struct):
    topic_id = uuid_()
    partitions = array(PartitionResult)


class ReadShareGroupStateResponse(Response, key=84, versions="0", flexible="0+"):
    results = array(ReadStateResult)
