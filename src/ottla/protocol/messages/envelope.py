"""Envelope (key 58): a broker forwards a client's request to the controller, with the client's principal (KIP-590)."""

from ottla.protocol.schema import Request, Response, bytes_, int16, nullable_bytes


class EnvelopeRequest(Request, key=58, versions="0", flexible="0+"):
    request_data = bytes_()
    request_principal = nullable_bytes()
    client_host_address = bytes_()


class EnvelopeResponse(Response, key=58, versions="0", flexible="0+"):
    response_data = nullable_bytes(default=None)
    error_code = int16()
