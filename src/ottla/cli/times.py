"""Times and durations on the command line, in the forms of ISO 8601 that Kafka's tools take."""

import re
from datetime import datetime

from ottla.errors.tree import OperatorError

_DURATION = re.compile(
    r"(?P<sign>[+-])?P(?:(?P<days>\d+)D)?(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def parse_time_ms(text: str) -> int:
    """Milliseconds since 1970: a number of them, or 2026-11-15T12:00:00.000 with a zone (local without one)."""
    if re.fullmatch(r"\d+", text):
        return int(text)
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1000)
    except ValueError:
        raise OperatorError(
            f"{text} is no time: give milliseconds since 1970 or a date like 2026-11-15T12:00:00+01:00"
        ) from None


def parse_duration_ms(text: str) -> int:
    """PT1H30M, or the short form 90m."""
    if short := _SHORT.fullmatch(text):
        return int(float(short[1]) * _UNIT_MS[short[2]])
    match = _DURATION.fullmatch(text)
    if match is None or text.upper().rstrip("T").endswith("P"):
        raise OperatorError(f"{text} is no duration: write 90s, 5m, 2h, 7d or PT1H30M")
    parts = {name: float(value or 0) for name, value in match.groupdict().items() if name != "sign"}
    milliseconds = sum(parts[name] * _UNIT_MS[name[0]] for name in parts)
    return int(-milliseconds if match["sign"] == "-" else milliseconds)
