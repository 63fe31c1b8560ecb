import logging

import pytest

from ottla.clock import ManualClock
from ottla.observability.instruments import Counter
from ottla.observability.per_client_log import CLIENT_ID_LENGTH_MAX, INTERVAL_S, REMEMBERED_MAX, PerClientLog

logger = logging.getLogger("ottla.test")


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_each_client_and_matter_has_one_line_until_its_time_is_over(caplog: pytest.LogCaptureFixture) -> None:
    clock, suppressed = ManualClock(), Counter()
    log = PerClientLog(logger, clock, suppressed)
    for _ in range(3):
        for client_id, asked in (("a", "x"), ("a", "y"), (None, "x")):
            log.warning(client_id, "1.2.3.4", asked, "there is none")
    assert lines(caplog) == [
        "client 'a' at 1.2.3.4 asks for x: there is none",
        "client 'a' at 1.2.3.4 asks for y: there is none",
        "client None at 1.2.3.4 asks for x: there is none",
    ]
    assert suppressed.value == 6
    clock.advance_ms(int(INTERVAL_S * 1000))
    log.warning("a", "1.2.3.4", "x", "there is none")
    assert len(lines(caplog)) == 4


def test_ids_that_clients_choose_take_no_more_lines_and_memory_than_a_bound(caplog: pytest.LogCaptureFixture) -> None:
    clock, suppressed = ManualClock(), Counter()
    log = PerClientLog(logger, clock, suppressed)
    for number in range(REMEMBERED_MAX + 50):
        log.warning(f"{number}" + "x" * 1000, "host", "x", "there is none")
    assert len(lines(caplog)) == REMEMBERED_MAX
    assert suppressed.value == 50
    assert max(map(len, lines(caplog))) < CLIENT_ID_LENGTH_MAX + 100
    clock.advance_ms(int(INTERVAL_S * 1000))
    log.warning("one more", "host", "x", "there is none")
    assert len(lines(caplog)) == REMEMBERED_MAX + 1
