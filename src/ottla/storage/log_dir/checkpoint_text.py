"""The text that all of Kafka's checkpoint files share: a version, a count, then one entry a line.

    LINE  CONTENT
    1     0                 version
    2     n                 number of entries
    3..   n lines           entries, fields separated by one space

No checksum: such a file is only ever replaced whole (temporary file, fsync, rename, fsync of the directory), so that a
reader finds the old one or the new one. What is neither was damaged by somebody else, and is refused as a whole
(`MalformedCheckpointError`); the caller decides whether it can be made anew from the log.
"""

from collections.abc import Iterable

from ottla.errors import OttlaError

VERSION = 0
_INT64_MAX = 2**63 - 1


class MalformedCheckpointError(OttlaError):
    """A checkpoint file that is not what Kafka or we would have written."""

    def __init__(self, source: str, problem: str) -> None:
        super().__init__(f"malformed checkpoint file {source}: {problem}")
        self.source = source


def encode_lines(entries: Iterable[str]) -> bytes:
    lines = list(entries)
    return "".join(f"{line}\n" for line in (str(VERSION), str(len(lines)), *lines)).encode()


def decode_lines(data: bytes, source: str) -> list[str]:
    """The entries of a checkpoint. `source` names the file in errors."""
    try:
        lines = data.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise MalformedCheckpointError(source, str(error)) from error
    if len(lines) < 2:
        raise MalformedCheckpointError(source, "the version or the number of entries is missing")
    version, count = (decode_int(line, source) for line in lines[:2])
    if version != VERSION:
        raise MalformedCheckpointError(source, f"version {version} is unknown, expected {VERSION}")
    entries = lines[2:]
    if count != len(entries):
        raise MalformedCheckpointError(source, f"{count} entries announced, {len(entries)} found")
    return entries


def decode_int(text: str, source: str) -> int:
    """An integer of 64 bits, as both sides write it: no sign but '-', no underscores, no blanks."""
    digits = text[1:] if text.startswith("-") else text
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 19) or abs(number := int(text)) > _INT64_MAX:
        raise MalformedCheckpointError(source, f"{text[:40]!r} is not a number")
    return number
