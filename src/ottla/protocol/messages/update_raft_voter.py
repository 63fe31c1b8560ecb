"""UpdateRaftVoter (key 82): a KRaft voter tells the leader its endpoints and versions (KIP-853)."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    int16,
    int32,
    nullable_string,
    string,
    struct_,
    uint16,
    uuid_,
)


class Listener(Struct):
    name = string()
    host = string()
    port = uint16()


class KRaftVersionFeature(Struct):
    min_supported_version = int16()
    max_supported_version = int16()


class UpdateRaftVoterRequest(Request, key=82, versions="0", flexible="0+"):
    cluster_id = nullable_string()
    current_leader_epoch = int32()
    voter_id = int32()
    voter_directory_id = uuid_()
    listeners = array(Listener)
    kraft_version_feature = struct_(KRaftVersionFeature)


class CurrentLeader(Struct):
    leader_id = int32(default=-1)
    leader_epoch = int32(default=-1)
    host = string()
    port = int32()


class UpdateRaftVoterResponse(Response, key=82, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    current_leader = struct_(CurrentLeader, tag=0)
