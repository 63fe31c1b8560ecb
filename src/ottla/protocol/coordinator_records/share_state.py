"""The progress of share groups in `__share_group_state` (KIP-932)."""

from ottla.protocol.schema import Data, Struct, array, int8, int16, int32, int64, string, uint16, uuid_


class ShareSnapshotKey(Data, versions="0"):
    group_id = string("0")
    topic_id = uuid_("0")
    partition = int32("0")


class StateBatch(Struct):
    first_offset = int64("0")
    last_offset = int64("0")
    delivery_state = int8("0")
    delivery_count = int16("0")


class ShareSnapshotValue(Data, versions="0", flexible="0+"):
    snapshot_epoch = uint16("0")
    state_epoch = int32()
    leader_epoch = int32()
    start_offset = int64("0")
    state_batches = array(StateBatch, "0")


class ShareUpdateKey(Data, versions="1"):
    group_id = string("1")
    topic_id = uuid_("1")
    partition = int32("1")


class ShareUpdateValue(Data, versions="0", flexible="0+"):
    snapshot_epoch = uint16("0")
    leader_epoch = int32()
    start_offset = int64("0")
    state_batches = array(StateBatch, "0")
