"""Java's properties files, which `server.properties` and clients' files are.

    # comment        ! comment as well
    key=value        key : value        key value
    path=/data/a,\\
         /data/b                     a backslash at the end goes on, without the next line's leading blanks
    text=tab\\t, caf\\u00e9, a\\=b    escapes; any other escaped character stands for itself

Later lines win over earlier ones with the same key, as in Java.
"""

import os
import re
from collections.abc import Iterator

from ottla.errors import ConfigError

_BLANK = " \t\f"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_BAD_UNICODE = re.compile(r"(?<!\\)(?:\\\\)*\\u(?![0-9a-fA-F]{4})")
# The key ends at the first separator that no backslash stands before.
_KEY = re.compile(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*", re.DOTALL)


def read_properties(path: str | os.PathLike[str]) -> dict[str, str]:
    """The keys and values of a file; ConfigError when it cannot be read or is no properties file."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not a text file in UTF-8 ({error.reason} at byte {error.start})") from error
    try:
        return parse_properties(text)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def parse_properties(text: str) -> dict[str, str]:
    properties = {}
    for line in _logical_lines(text):
        match = _KEY.match(line)
        assert match is not None
        properties[_unescape(match.group(1))] = _unescape(line[match.end() :])
    return properties


def parse_override(text: str) -> tuple[str, str]:
    """`key=value` as given after --override."""
    key, separator, value = text.partition("=")
    if not separator or not key.strip():
        raise ConfigError(f"{text!r} is not of the form key=value")
    return key.strip(), value.strip()


def _logical_lines(text: str) -> Iterator[str]:
    pending = ""
    for raw in re.split(r"\r\n|\n|\r", text):
        line = raw.lstrip(_BLANK)
        if not pending and (not line or line[0] in "#!"):
            continue
        line = pending + line
        if _ends_open(line):
            pending = line[:-1]
            continue
        pending = ""
        yield line
    if pending:
        yield pending


def _ends_open(line: str) -> bool:
    """Whether the line ends in an odd number of backslashes, so that the last one is not itself escaped."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    if _BAD_UNICODE.search(text):
        raise ConfigError(f"malformed \\uxxxx escape in {text!r}")
    plain = _ESCAPED.sub(_replace_escape, text)
    # Java writes a character beyond 16 bits as two escapes, which belong together.
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _replace_escape(match: re.Match[str]) -> str:
    escape: str = match.group(1)
    if len(escape) == 5:
        return chr(int(escape[1:], 16))
    return _ESCAPES.get(escape, escape)
