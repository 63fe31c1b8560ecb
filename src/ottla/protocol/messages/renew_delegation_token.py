"""RenewDelegationToken (key 39): renews a delegation token."""

from ottla.protocol.schema import Request, Response, bytes_, int16, int32, int64


class RenewDelegationTokenRequest(Request, key=39, versions="0-2", flexible="2+"):
    hmac = bytes_()
    renew_period_ms = int64()


class RenewDelegationTokenResponse(Response, key=39, versions="0-2", flexible="2+"):
    error_code = int16()
    expiry_timestamp_ms = int64()
    throttle_time_ms = int32()
