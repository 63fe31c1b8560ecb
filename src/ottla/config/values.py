"""The types of values: from the text of a properties file to Python, and back to the text that Kafka shows.

BOOLEAN         bool         true or false, in any case
SHORT INT LONG  int          of 16, 32 and 64 bits
DOUBLE          float
LIST            list[str]    separated by commas, spaces around them dropped; empty text is the empty list
STRING CLASS    str          spaces around it dropped
PASSWORD        str          never shown
"""

import re
from collections.abc import Callable

from ottla.errors import ConfigError

type_bits = {"SHORT": 16, "INT": 32, "LONG": 64}
HIDDEN = "[hidden]"

Value = bool | int | float | str | list[str] | None

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DOUBLE = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)


def invalid_value(name: str, value: object, why: str) -> ConfigError:
    """The error in Kafka's words, which tools and their users know."""
    return ConfigError(f"Invalid value {value} for configuration {name}: {why}")


def parse_value(name: str, type_: str, text: str | None) -> Value:
    """The value of a text; ConfigError says what is allowed. Bounds are not checked here."""
    if text is None:
        return None
    return _PARSERS[type_](name, type_, text.strip())


def _parse_boolean(name: str, _: str, text: str) -> bool:
    lowered = text.lower()
    if lowered not in ("true", "false"):
        raise invalid_value(name, text, "Expected value to be either true or false")
    return lowered == "true"


def _parse_integer(name: str, type_: str, text: str) -> int:
    if not _INTEGER.fullmatch(text) or len(text) > 20:
        raise invalid_value(name, text, f"Not a number of type {type_}")
    value = int(text)
    bound = 1 << (type_bits[type_] - 1)
    if not -bound <= value < bound:
        raise invalid_value(name, text, f"Not a number of type {type_}")
    return value


def _parse_double(name: str, type_: str, text: str) -> float:
    if not _DOUBLE.fullmatch(text):
        raise invalid_value(name, text, f"Not a number of type {type_}")
    return float(text)


def _parse_list(_name: str, _type: str, text: str) -> list[str]:
    return [part.strip() for part in text.split(",")] if text else []


def _parse_string(_name: str, _type: str, text: str) -> str:
    return text


_PARSERS: dict[str, Callable[[str, str, str], Value]] = {
    "BOOLEAN": _parse_boolean,
    "SHORT": _parse_integer,
    "INT": _parse_integer,
    "LONG": _parse_integer,
    "DOUBLE": _parse_double,
    "LIST": _parse_list,
    "STRING": _parse_string,
    "CLASS": _parse_string,
    "PASSWORD": _parse_string,
}


def value_text(value: Value) -> str | None:
    """The text of a value in a DescribeConfigs response, as Java would print the value."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, float):
        return _double_text(value)
    return str(value)


def _double_text(value: float) -> str:
    """Java prints 1.7976931348623157E308 where Python prints 1.7976931348623157e+308."""
    text = repr(value)
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent)}"
