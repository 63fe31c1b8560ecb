"""SaslAuthenticate (key 36): carries the bytes of a SASL exchange."""

from ottla.protocol import schema as s


class SaslAuthenticateRequest(s.Request, key=36, versions="0-2", flexible="2+"):
    auth_bytes = s.bytes_()

class SaslAuthenticateResponse(s.Response, key=36, versions="0-2", flexible="2+"):
    error_code = s.int16()
    error_message = s.nullable_string()
    auth_bytes = s.bytes_()
    session_lifetime_ms = s.int64("1+")
