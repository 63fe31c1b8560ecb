import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.config import parse_override, parse_properties, read_properties
from ottla.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1", {"a": "1"}),
        ("a : 1", {"a": "1"}),
        ("a 1", {"a": "1"}),
        ("  a\t=\t1 ", {"a": "1 "}),
        ("a=b=c", {"a": "b=c"}),
        ("a", {"a": ""}),
        ("a=\r\nb=2\rc=3", {"a": "", "b": "2", "c": "3"}),
        ("# a=1\n! b=2\n   # c=3\n\n", {}),
        ("a=1,\\\n    2,\\\n\t3", {"a": "1,2,3"}),
        ("a=1\\\n# not a comment", {"a": "1# not a comment"}),
        ("a=one\\\\\nb=2", {"a": "one\\", "b": "2"}),
        ("a\\=b\\ c\\:d=1", {"a=b c:d": "1"}),
        ("a=\\t\\n\\q", {"a": "\t\nq"}),
        ("a=caf\\u00e9 \\uD83D\\uDE00", {"a": "café 😀"}),
        ("a=1\na=2", {"a": "2"}),
        ("a=1\\", {"a": "1"}),
        ("listeners=PLAINTEXT://:9092", {"listeners": "PLAINTEXT://:9092"}),
    ],
)
def test_properties_are_read_as_java_reads_them(text: str, expected: dict[str, str]) -> None:
    assert parse_properties(text) == expected


def test_a_malformed_unicode_escape_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_text("a=\\u12\n")
    with pytest.raises(ConfigError, match=r"server.properties: malformed \\uxxxx"):
        read_properties(path)


def test_a_file_that_is_not_there_or_no_text_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        read_properties(tmp_path / "none")
    (tmp_path / "binary").write_bytes(b"a=\xff\xfe")
    with pytest.raises(ConfigError, match="UTF-8"):
        read_properties(str(tmp_path / "binary"))


def test_an_override_is_key_and_value() -> None:
    assert parse_override("a.b = c=d") == ("a.b", "c=d")
    for bad in ("a.b", "=1"):
        with pytest.raises(ConfigError, match="key=value"):
            parse_override(bad)


def escaped(text: str) -> str:
    """As Java's Properties.store writes it."""
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


@given(st.dictionaries(st.text(min_size=1), st.text(), max_size=5))
def test_what_java_stores_comes_back(properties: dict[str, str]) -> None:
    text = "".join(f"{escaped(key)}={escaped(value)}\n" for key, value in properties.items())
    assert parse_properties(text) == properties


@given(st.text())
def test_any_text_gives_properties_or_a_config_error(text: str) -> None:
    with contextlib.suppress(ConfigError):
        parse_properties(text)
