"""RemoveRaftVoter (key 81): removes a voter from the KRaft quorum (KIP-853)."""

from ottla.protocol.schema import Request, Response, int16, int32, nullable_string, uuid_


class RemoveRaftVoterRequest(Request, key=81, versions="0", flexible="0+"):
    cluster_id = nullable_string()
    voter_id = int32()
    voter_directory_id = uuid_()


class RemoveRaftVoterResponse(Response, key=81, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    error_message = nullable_string()
