"""Delegation tokens (KIP-48): create, renew, expire, describe."""

from ottla.protocol import schema as s


# CreateDelegationToken (key 38): makes a delegation token (KIP-48).
class CreatableRenewers(s.Struct):
    principal_type = s.string()
    principal_name = s.string()
class CreateDelegationTokenRequest(s.Request, key=38, versions="0-3", flexible="2+"):
    owner_principal_type = s.nullable_string("3+")
    owner_principal_name = s.nullable_string("3+")
    renewers = s.array(CreatableRenewers)
    max_lifetime_ms = s.int64()

class CreateDelegationTokenResponse(s.Response, key=38, versions="0-3", flexible="2+"):
    error_code = s.int16()
    principal_type = s.string()
    principal_name = s.string()
    token_requester_principal_type = s.string("3+")
    token_requester_principal_name = s.string("3+")
    issue_timestamp_ms = s.int64()
    expiry_timestamp_ms = s.int64()
    max_timestamp_ms = s.int64()
    token_id = s.string()
    hmac = s.bytes_()
    throttle_time_ms = s.int32()

# RenewDelegationToken (key 39): renews a delegation token.
class RenewDelegationTokenRequest(s.Request, key=39, versions="0-2", flexible="2+"):
    hmac = s.bytes_()
    renew_period_ms = s.int64()

class RenewDelegationTokenResponse(s.Response, key=39, versions="0-2", flexible="2+"):
    error_code = s.int16()
    expiry_timestamp_ms = s.int64()
    throttle_time_ms = s.int32()

# ExpireDelegationToken (key 40): lets a delegation token expire.
class ExpireDelegationTokenRequest(s.Request, key=40, versions="0-2", flexible="2+"):
    hmac = s.bytes_()
    expiry_time_period_ms = s.int64()

class ExpireDelegationTokenResponse(s.Response, key=40, versions="0-2", flexible="2+"):
    error_code = s.int16()
    expiry_timestamp_ms = s.int64()
    throttle_time_ms = s.int32()

# DescribeDelegationToken (key 41): lists delegation tokens.
class DescribeDelegationTokenOwner(s.Struct):
    principal_type = s.string()
    principal_name = s.string()
class DescribeDelegationTokenRequest(s.Request, key=41, versions="0-3", flexible="2+"):
    owners = s.nullable_array(DescribeDelegationTokenOwner)

class DescribedDelegationTokenRenewer(s.Struct):
    principal_type = s.string()
    principal_name = s.string()
class DescribedDelegationToken(s.Struct):
    principal_type = s.string()
    principal_name = s.string()
    token_requester_principal_type = s.string("3+")
    token_requester_principal_name = s.string("3+")
    issue_timestamp = s.int64()
    expiry_timestamp = s.int64()
    max_timestamp = s.int64()
    token_id = s.string()
    hmac = s.bytes_()
    renewers = s.array(DescribedDelegationTokenRenewer)
class DescribeDelegationTokenResponse(s.Response, key=41, versions="0-3", flexible="2+"):
    error_code = s.int16()
    tokens = s.array(DescribedDelegationToken)
    throttle_time_ms = s.int32()
