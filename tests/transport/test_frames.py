import struct

import pytest

from ottla.transport.frames import frame_size_error


@pytest.mark.parametrize(
    ("first_bytes", "hint"),
    [
        (b"GET ", "HTTP"),
        (b"POST", "HTTP"),
        (b"\x16\x03\x01\x02", "TLS"),
        (b"\x7f\xff\xff\xff", "over the limit of 1000"),
    ],
)
def test_error_names_the_protocol_that_the_peer_seems_to_speak(first_bytes: bytes, hint: str):
    assert hint in str(frame_size_error(struct.unpack(">i", first_bytes)[0], 1000))


@pytest.mark.parametrize(("size", "problem"), [(-1, "negative"), (0, "too small"), (1001, "over the limit")])
def test_error_says_what_is_wrong_with_the_size(size: int, problem: str):
    assert problem in str(frame_size_error(size, 1000))
