import io
import logging
from collections.abc import Iterator

import pytest

from ottla.clock import ManualClock
from ottla.observability.instruments import Counter
from ottla.observability.logs import RateLimitedLogger, printable, setup_logging


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    root, ottla = logging.getLogger(), logging.getLogger("ottla")
    before = (root.handlers[:], root.level, ottla.level)
    stream = io.StringIO()
    setup_logging("INFO", stream)
    yield stream
    root.handlers[:], root.level, ottla.level = before
    root.setLevel(before[1])
    ottla.setLevel(before[2])


def test_an_event_is_one_line_with_time_level_and_logger(lines: io.StringIO) -> None:
    logging.getLogger("ottla.server").info("listening on %s", "localhost:9092")
    line = lines.getvalue()
    assert line.startswith("[20")
    assert line.endswith("] INFO listening on localhost:9092 (ottla.server)\n")


def test_nobody_can_forge_a_line_or_drive_the_terminal(lines: io.StringIO) -> None:
    logging.getLogger("ottla.server").warning("client id %s", "a\n[2026] ERROR b\x1b[31m\r\u2028c")
    assert lines.getvalue().count("\n") == 1
    assert "a\\n[2026] ERROR b\\x1b[31m\\r\\u2028c" in lines.getvalue()


def test_ordinary_text_stays_as_it_is() -> None:
    assert printable("Grüße, 世界 \\n") == "Grüße, 世界 \\n"


def test_a_traceback_follows_its_line_indented(lines: io.StringIO) -> None:
    try:
        raise ValueError("bad\nvalue")
    except ValueError:
        logging.getLogger("ottla.handlers").exception("request failed")
    first, *rest = lines.getvalue().rstrip("\n").split("\n")
    assert first.endswith("request failed (ottla.handlers)")
    assert rest[-2:] == ["    ValueError: bad", "    value"]
    assert all(line.startswith("    ") for line in rest)


def test_levels_below_the_chosen_one_and_other_libraries_chatter_are_left_out(lines: io.StringIO) -> None:
    logging.getLogger("ottla.disk").debug("x")
    logging.getLogger("kazoo.client").info("y")
    assert lines.getvalue() == ""


def test_a_kind_of_event_is_logged_once_per_interval_with_the_number_left_out(lines: io.StringIO) -> None:
    clock = ManualClock()
    suppressed = Counter()
    log = RateLimitedLogger(logging.getLogger("ottla.transport"), clock, interval_s=10, suppressed=suppressed)
    for port in range(5):
        log.warning("bad frame", "127.0.0.1:%d: bad frame", port)
    log.warning("other", "something else")
    clock.advance_ms(10_000)
    log.warning("bad frame", "127.0.0.1:%d: bad frame", 5)
    texts = [line.split("WARNING ")[1].split(" (ottla")[0] for line in lines.getvalue().splitlines()]
    assert texts == [
        "127.0.0.1:0: bad frame",
        "something else",
        "127.0.0.1:5: bad frame (4 more suppressed)",
    ]
    assert suppressed.value == 4
