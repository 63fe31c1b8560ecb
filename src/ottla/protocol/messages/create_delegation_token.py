"""CreateDelegationToken (key 38): makes a delegation token (KIP-48)."""

from ottla.protocol.schema import Request, Response, Struct, array, bytes_, int16, int32, int64, nullable_string, string


class CreatableRenewers(Struct):
    principal_type = string()
    principal_name = string()


class CreateDelegationTokenRequest(Request, key=38, versions="0-3", flexible="2+"):
    owner_principal_type = nullable_string("3+")
    owner_principal_name = nullable_string("3+")
    renewers = array(CreatableRenewers)
    max_lifetime_ms = int64()


class CreateDelegationTokenResponse(Response, key=38, versions="0-3", flexible="2+"):
    error_code = int16()
    principal_type = string()
    principal_name = string()
    token_requester_principal_type = string("3+")
    token_requester_principal_name = string("3+")
    issue_timestamp_ms = int64()
    expiry_timestamp_ms = int64()
    max_timestamp_ms = int64()
    token_id = string()
    hmac = bytes_()
    throttle_time_ms = int32()
