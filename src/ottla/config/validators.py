"""Which values a key takes. The tables write it as Kafka documents it; this module reads that and checks values.

    [1,...]                      at least 1
    [0,...,65535]                from 0 to 65535
    [1,...,9] or -1              the same, or the one value that means the default
    [compact, delete]            one of these; a list: only these
    (case insensitive) [A, B]    one of these, in any case
    non-empty string             and: non-empty list, non-null string
    a Kafka version              0.8.0 to 4.0-IV1, with or without its -IV suffix
    partition:broker pairs       replicas to throttle: 0:1,0:2 or *

Errors carry Kafka's own sentences: the admin tools print them, and people search for them.
"""

import re
from collections.abc import Callable
from functools import cache

from ottla.config.values import Value, invalid_value

Check = Callable[[str, Value], None]

_NUMBER = r"-?[0-9.]+"
_RANGE = re.compile(rf"\[({_NUMBER}),\.\.\.(?:,({_NUMBER}))?\](?: or ({_NUMBER}))?")
_VERSION = re.compile(r"(0\.(8\.[0-2]|9\.0|10\.[0-2]|11\.0)|[1-4]\.[0-9])(\.[0-9]+)*(-IV[0-9])?")
_REPLICA = re.compile(r"[0-9]+:[0-9]+")


def check_value(name: str, valid: str, value: Value) -> None:
    """ConfigError when the value is not one of the valid ones. None (no value) is only refused by `non-null`."""
    if valid:
        _check_for(valid)(name, value)


@cache
def _check_for(valid: str) -> Check:
    if valid in _NAMED:
        return _NAMED[valid]
    if match := _RANGE.fullmatch(valid):
        low, high, extra = match.groups()
        return _range_check(low, high, extra)
    any_case = valid.startswith("(case insensitive) ")
    names = valid.removeprefix("(case insensitive) ")
    assert names[0] + names[-1] == "[]", f"unreadable valid values: {valid}"
    return _choice_check(names[1:-1].split(", "), any_case=any_case)


def _range_check(low: str, high: str | None, extra: str | None) -> Check:
    minimum = float(low)
    maximum = float("inf") if high is None else float(high)
    also = None if extra is None else float(extra)

    def check(name: str, value: Value) -> None:
        if value is None or value == also:
            return
        assert isinstance(value, int | float)
        if minimum <= value <= maximum:
            return
        if extra is not None:
            raise invalid_value(name, value, f"Value must be between {low} and {high} or equal to {extra}")
        if value < minimum:
            raise invalid_value(name, value, f"Value must be at least {low}")
        raise invalid_value(name, value, f"Value must be no more than {high}")

    return check


def _choice_check(choices: list[str], *, any_case: bool) -> Check:
    allowed = {choice.upper() for choice in choices} if any_case else set(choices)
    label = "String must be one of (case insensitive)" if any_case else "String must be one of"

    def check(name: str, value: Value) -> None:
        if value is None:
            return
        for word in value if isinstance(value, list) else [str(value)]:
            if (word.upper() if any_case else word) not in allowed:
                raise invalid_value(name, word, f"{label}: {', '.join(choices)}")

    return check


def _check_non_null(name: str, value: Value) -> None:
    if value is None:
        raise invalid_value(name, "null", "entry must be non null")


def _check_non_empty_string(name: str, value: Value) -> None:
    if value == "":
        raise invalid_value(name, "", "String must be non-empty")


def _check_version(name: str, value: Value) -> None:
    if not isinstance(value, str) or not _VERSION.fullmatch(value):
        raise invalid_value(name, value, "Version is not a version of Kafka's, such as 2.8 or 3.9-IV0")


def _check_throttled_replicas(name: str, value: Value) -> None:
    assert isinstance(value, list)
    if value != ["*"] and not all(_REPLICA.fullmatch(pair) for pair in value):
        raise invalid_value(
            name,
            ",".join(value),
            f"{name} must be the literal '*' or a list of replicas in the following format: "
            "[partitionId]:[brokerId],[partitionId]:[brokerId],...",
        )


def _check_nothing(_name: str, _value: Value) -> None:
    """For lists that must not be empty where they are used: Kafka's default is empty all the same."""


_NAMED: dict[str, Check] = {
    "non-null string": _check_non_null,
    "non-empty string": _check_non_empty_string,
    "non-empty list": _check_nothing,
    "a Kafka version": _check_version,
    "partition:broker pairs": _check_throttled_replicas,
}
