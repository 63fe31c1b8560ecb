"""Every API of Kafka 3.9 and 4.x: its name, its message classes and its header versions.

What Ottla *knows* is here; what it *serves* is in the server's handler table, and only that is advertised.

Header versions (KIP-482): a request has header version 2 when its version is flexible, else 1, and ControlledShutdown
version 0 has 0; a response has 1 when flexible, else 0, and ApiVersions has 0 always.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from ottla.errors import DecodeError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.message import Request, Response


class ApiInfo:
    """One API. Its message classes are imported on first use."""

    __slots__ = ("api_key", "first_flexible", "module", "name", "versions")

    def __init__(self, api_key: ApiKey) -> None:
        self.api_key = api_key
        self.name = api_key.name.title().replace("_", "")
        self.module = api_key.module or api_key.name.lower()
        self.versions = api_key.versions
        self.first_flexible = api_key.first_flexible

    def request_class(self) -> type[Request]:
        request_class: type[Request] = _message_class(self.module, self.name, "Request")
        return request_class

    def response_class(self) -> type[Response]:
        response_class: type[Response] = _message_class(self.module, self.name, "Response")
        return response_class

    def request_header_version(self, version: int) -> int:
        if version >= self.first_flexible:
            return 2
        return 0 if self.api_key == ApiKey.CONTROLLED_SHUTDOWN and version == 0 else 1

    def response_header_version(self, version: int) -> int:
        return int(version >= self.first_flexible and self.api_key != ApiKey.API_VERSIONS)

    def __repr__(self) -> str:
        return f"ApiInfo({self.name} {self.versions[0]}-{self.versions[1]})"


@cache
def _message_class(module: str, api_name: str, suffix: str) -> Any:
    return getattr(import_module(f"ottla.protocol.messages.{module}"), api_name + suffix)


API_INFOS: dict[int, ApiInfo] = {info.api_key: info for info in map(ApiInfo, ApiKey)}


def api_info(api_key: int) -> ApiInfo:
    """DecodeError for a number that is no API."""
    try:
        return API_INFOS[api_key]
    except KeyError:
        raise DecodeError(f"there is no API with key {api_key}") from None
