"""WriteShareGroupState (key 85): writes the state of a share group's partitions (KIP-932)."""

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


class StateBatch(Struct):
    first_offset = int64()
    last_offset = int64()
    delivery_state = int8()
    delivery_count = int16()


class PartitionData(Struct):
    partition = int32()
    state_epoch = int32()
    leader_epoch = int32()
    start_offset = int64()
    delivery_complete_count = int32("1+", default=-1)
    state_batches = array(StateBatch)


class WriteStateData(Struct):
    topic_id = uuid_()
    partitions = array(PartitionData)


class WriteShareGroupStateRequest(Request, key=85, versions="0-1", flexible="0+"):
    group_id = string()
    topics = array(WriteStateData)


class PartitionResult(Struct):
    partition = int32()
    error_code = int16()
    error_message = nullable_string(default=None)


class WriteStateResult(Struct):
    topic_id = uuid_()
    partitions = array(PartitionResult)


class WriteShareGroupStateResponse(Response, key=85, versions="0-1", flexible="0+"):
    results = array(WriteStateResult)
