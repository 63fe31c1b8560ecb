import pytest

from ottla.errors import DecodeError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.headers import (
    RequestHeader,
    decode_request_header,
    decode_response_header,
    encode_request_header,
    encode_response_header,
)


@pytest.mark.parametrize("client_id", [None, "", "kcat", "ümlaut"])
@pytest.mark.parametrize(("api_key", "version"), [(ApiKey.PRODUCE, 8), (ApiKey.PRODUCE, 9), (ApiKey.API_VERSIONS, 3)])
def test_request_header_round_trips(api_key: ApiKey, version: int, client_id: str | None) -> None:
    header = RequestHeader(api_key, version, -7, client_id)
    encoded = encode_request_header(header)
    assert decode_request_header(encoded + b"body") == (header, len(encoded))


def test_client_id_is_never_compact() -> None:
    flexible = encode_request_header(RequestHeader(ApiKey.PRODUCE, 9, 1, "abc"))
    assert flexible == b"\x00\x00\x00\x09\x00\x00\x00\x01\x00\x03abc\x00"


def test_controlled_shutdown_version_0_has_no_client_id() -> None:
    header = RequestHeader(ApiKey.CONTROLLED_SHUTDOWN, 0, 5)
    assert encode_request_header(header) == b"\x00\x07\x00\x00\x00\x00\x00\x05"
    assert decode_request_header(encode_request_header(header) + b"\x00\x00\x00\x01") == (header, 8)
    assert api_info(ApiKey.CONTROLLED_SHUTDOWN).request_header_version(1) == 1


def test_unknown_tags_in_a_header_are_skipped() -> None:
    plain = encode_request_header(RequestHeader(ApiKey.PRODUCE, 9, 1, "abc"))
    tagged = plain[:-1] + b"\x02\x00\x01X\x05\x02YZ"
    assert decode_request_header(tagged) == (RequestHeader(ApiKey.PRODUCE, 9, 1, "abc"), len(tagged))


def test_api_versions_response_has_header_version_0_always() -> None:
    for version in range(5):
        assert encode_response_header(ApiKey.API_VERSIONS, version, 1) == b"\x00\x00\x00\x01"


def test_flexible_response_header_has_tags() -> None:
    assert encode_response_header(ApiKey.METADATA, 8, 1) == b"\x00\x00\x00\x01"
    assert encode_response_header(ApiKey.METADATA, 9, 1) == b"\x00\x00\x00\x01\x00"
    assert decode_response_header(ApiKey.METADATA, 8, b"\x00\x00\x00\x01body") == (1, 4)
    assert decode_response_header(ApiKey.METADATA, 9, b"\x00\x00\x00\x01\x01\x00\x01Xbody") == (1, 8)


def test_sasl_handshake_and_offset_delete_never_become_flexible() -> None:
    for api_key in (ApiKey.SASL_HANDSHAKE, ApiKey.OFFSET_DELETE):
        assert api_info(api_key).request_header_version(99) == 1
        assert api_info(api_key).response_header_version(99) == 0


def test_header_of_an_unknown_version_can_be_read() -> None:
    header = RequestHeader(ApiKey.API_VERSIONS, 77, 3, "new")
    assert decode_request_header(encode_request_header(header))[0] == header


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\x00\x00\x00\x00\x00\x00",
        b"\x03\xe7\x00\x00\x00\x00\x00\x01\x00\x00",  # key 999
        b"\xff\xff\x00\x00\x00\x00\x00\x01\x00\x00",  # key -1
        b"\x00\x00\x00\x00\x00\x00\x00\x01\x00\x05abc",  # client id too short
        b"\x00\x00\x00\x00\x00\x00\x00\x01\xff\xfe",  # length -2
        b"\x00\x00\x00\x00\x00\x00\x00\x01\x00\x02\xff\xff",  # no UTF-8
        b"\x00\x00\x00\x09\x00\x00\x00\x01\x00\x00",  # no tags
        b"\x00\x00\x00\x09\x00\x00\x00\x01\x00\x00\x01\x00\x09",  # tag longer than the rest
        b"\x00\x00\x00\x09\x00\x00\x00\x01\x00\x00\x02\x03\x00\x03\x00",  # tag twice
        b"\x00\x00\x00\x09\x00\x00\x00\x01\x00\x00" + b"\xff" * 6,  # endless varint
    ],
)
def test_bad_request_header_is_a_decode_error(data: bytes) -> None:
    with pytest.raises(DecodeError):
        decode_request_header(data)


@pytest.mark.parametrize("data", [b"", b"\x00\x00\x01", b"\x00\x00\x00\x01", b"\x00\x00\x00\x01\x01\x00\x05X"])
def test_bad_response_header_is_a_decode_error(data: bytes) -> None:
    with pytest.raises(DecodeError):
        decode_response_header(ApiKey.METADATA, 9, data)
