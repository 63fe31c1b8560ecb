"""Classic groups in `__consumer_offsets`: key version 2."""

from ottla.protocol.schema import Data, Struct, array, bytes_, int32, int64, nullable_string, string


class GroupMetadataKey(Data, versions="2"):
    group = string("2")


class MemberMetadata(Struct):
    member_id = string()
    group_instance_id = nullable_string("3+", default=None)
    client_id = string()
    client_host = string()
    rebalance_timeout = int32("1+", default=-1)
    session_timeout = int32()
    subscription = bytes_()
    assignment = bytes_()


class GroupMetadataValue(Data, versions="0-4", flexible="4+"):
    protocol_type = string()
    generation = int32()
    protocol = nullable_string()
    leader = nullable_string()
    current_state_timestamp = int64("2+", default=-1)
    members = array(MemberMetadata)
