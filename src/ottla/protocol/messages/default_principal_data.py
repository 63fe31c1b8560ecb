"""The principal of a forwarded request, inside an Envelope."""

from ottla.protocol.schema import Data, boolean, string


class DefaultPrincipalData(Data, versions="0", flexible="0+"):
    type = string()
    name = string()
    token_authenticated = boolean()
