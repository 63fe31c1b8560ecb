"""ApiVersions (KIP-35, KIP-511): the first request of every client. It is answered from the handler table.

Two rules of its own. The response header has version 0 in every version (the protocol's tables know). And a version
that is not served is answered, not refused: in the format of version 0, with UNSUPPORTED_VERSION and the one range
that the client needs to ask again, that of ApiVersions itself.
"""

import re

from ottla.errors import ErrorCode, KafkaError
from ottla.errors.kafka import InvalidRequestError
from ottla.handlers.context import EncodedResponse, RequestContext
from ottla.handlers.registry import HandlerTable, Traits
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import encode
from ottla.protocol.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse

MIN_VERSION = 0
MAX_VERSION = 4

_SOFTWARE_NAME_SINCE = 3
_SOFTWARE_NAME = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?", re.ASCII)


class ApiVersionsHandlers:
    __slots__ = ("_encoded", "_encoded_for", "_table")

    def __init__(self, table: HandlerTable) -> None:
        self._table = table
        self._encoded: dict[int, EncodedResponse] = {}
        self._encoded_for = 0

    def register(self, table: HandlerTable) -> None:
        traits = Traits(on_unsupported_version=unsupported_version_response)
        table.add(ApiKey.API_VERSIONS, self.handle_api_versions, MIN_VERSION, MAX_VERSION, api_versions_error, traits)

    def handle_api_versions(self, context: RequestContext, request: ApiVersionsRequest) -> EncodedResponse:
        version = context.api_version
        if version >= _SOFTWARE_NAME_SINCE:
            _check_software(request)
            context.client.note_software(request.client_software_name, request.client_software_version)
        if self._encoded_for != len(self._table):
            self._encoded.clear()
            self._encoded_for = len(self._table)
        encoded = self._encoded.get(version)
        if encoded is None:
            encoded = self._encoded[version] = encode(self._response(), version)
        return encoded

    def _response(self) -> ApiVersionsResponse:
        return ApiVersionsResponse(
            api_keys=[
                ApiVersion(api_key=entry.api_key, min_version=entry.min_version, max_version=entry.max_version)
                for entry in self._table
            ]
        )


def _check_software(request: ApiVersionsRequest) -> None:
    for name in (request.client_software_name, request.client_software_version):
        if not _SOFTWARE_NAME.fullmatch(name):
            raise InvalidRequestError("client software name and version must be letters, digits, '-' and '.'")


def api_versions_error(request: ApiVersionsRequest, version: int, error: KafkaError) -> ApiVersionsResponse:
    return ApiVersionsResponse(error_code=error.code)


def unsupported_version_response() -> EncodedResponse:
    """The response, in version 0, to a version of ApiVersions that is not served."""
    served = ApiVersion(api_key=ApiKey.API_VERSIONS, min_version=MIN_VERSION, max_version=MAX_VERSION)
    return encode(ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=[served]), 0)
