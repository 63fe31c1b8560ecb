"""SaslHandshake (key 17): chooses a SASL mechanism. Never flexible."""

from ottla.protocol import schema as s


class SaslHandshakeRequest(s.Request, key=17, versions="0-1"):
    mechanism = s.string()

class SaslHandshakeResponse(s.Response, key=17, versions="0-1"):
    error_code = s.int16()
    mechanisms = s.array(s.string)
