"""Which version of an API both sides speak (KIP-35, KIP-511).

A broker that does not know the version of an ApiVersions request responds in version 0, with error 35 and the versions
that it does know: this is the one response whose version is not that of its request.
"""

from collections.abc import Mapping
from struct import Struct
from typing import NamedTuple

from ottla.errors import DecodeError, ErrorCode
from ottla.errors.kafka import UnsupportedVersionError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.codec import decode
from ottla.protocol.messages.api_versions import ApiVersionsResponse

_CORRELATION_ID_AND_ERROR = Struct(">ih")


class VersionRange(NamedTuple):
    first: int
    last: int


def read_versions(response: ApiVersionsResponse) -> dict[int, VersionRange]:
    versions = {entry.api_key: VersionRange(entry.min_version, entry.max_version) for entry in response.api_keys}
    # A broker that says only "unsupported" still speaks version 0.
    versions.setdefault(ApiKey.API_VERSIONS, VersionRange(0, 0))
    return versions


def unsupported_version_response(frame: memoryview) -> ApiVersionsResponse | None:
    """The response of a broker that did not know the version of the request; None when it did."""
    if len(frame) < _CORRELATION_ID_AND_ERROR.size:
        raise DecodeError("an answer to ApiVersions without an error code")
    if _CORRELATION_ID_AND_ERROR.unpack_from(frame)[1] != ErrorCode.UNSUPPORTED_VERSION:
        return None
    return decode(ApiVersionsResponse, 0, frame, 4)[0]


def negotiate(versions: Mapping[int, VersionRange], api_key: int, version_max: int | None = None) -> int:
    """The highest version that the broker and this library know, at most `version_max`."""
    first, last = api_info(api_key).versions
    if version_max is not None:
        last = min(last, version_max)
    broker = versions.get(api_key)
    if broker is None:
        raise UnsupportedVersionError(f"the broker does not serve {ApiKey(api_key).name}")
    version = min(last, broker.last)
    if version < max(first, broker.first):
        spoken = f"the broker speaks versions {broker.first} to {broker.last}, here {first} to {last}"
        raise UnsupportedVersionError(f"{ApiKey(api_key).name}: {spoken}")
    return version
