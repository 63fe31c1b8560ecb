"""Classic groups in `__consumer_offsets`: key version 2."""

from ottla.protocol import schema as s


class GroupMetadataKey(s.Data, versions="2"):
    group = s.string("2")

class MemberMetadata(s.Struct):
    member_id = s.string()
    group_instance_id = s.nullable_string("3+", default=None)
    client_id = s.string()
    client_host = s.string()
    rebalance_timeout = s.int32("1+", default=-1)
    session_timeout = s.int32()
    subscription = s.bytes_()
    assignment = s.bytes_()
class GroupMetadataValue(s.Data, versions="0-4", flexible="4+"):
    protocol_type = s.string()
    generation = s.int32()
    protocol = s.nullable_string()
    leader = s.nullable_string()
    current_state_timestamp = s.int64("2+", default=-1)
    members = s.array(MemberMetadata)
