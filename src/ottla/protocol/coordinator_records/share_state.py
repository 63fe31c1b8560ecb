"""The progress of share groups in `__share_group_state` (KIP-932)."""

from ottla.protocol import schema as s


class ShareSnapshotKey(s.Data, versions="0"):
    group_id = s.string("0")
    topic_id = s.uuid_("0")
    partition = s.int32("0")

class StateBatch(s.Struct):
    first_offset = s.int64("0")
    last_offset = s.int64("0")
    delivery_state = s.int8("0")
    delivery_count = s.int16("0")
class ShareSnapshotValue(s.Data, versions="0", flexible="0+"):
    snapshot_epoch = s.uint16("0")
    state_epoch = s.int32()
    leader_epoch = s.int32()
    start_offset = s.int64("0")
    state_batches = s.array(StateBatch, "0")

class ShareUpdateKey(s.Data, versions="1"):
    group_id = s.string("1")
    topic_id = s.uuid_("1")
    partition = s.int32("1")

class ShareUpdateValue(s.Data, versions="0", flexible="0+"):
    snapshot_epoch = s.uint16("0")
    leader_epoch = s.int32()
    start_offset = s.int64("0")
    state_batches = s.array(StateBatch, "0")
