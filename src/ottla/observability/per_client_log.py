"""One log line for each client and problem, limited in rate, so that an operator sees whom to tell.

A client that gets no further asks again, many times a second: a line comes once, and again after ten minutes. Clients
choose their ids, so how many are remembered is bounded; past that the lines of the others are left out and counted.
"""

import logging

from ottla.clock import Clock
from ottla.observability.instruments import Counter

INTERVAL_S = 600.0
REMEMBERED_MAX = 100
CLIENT_ID_LENGTH_MAX = 100


class PerClientLog:
    def __init__(self, logger: logging.Logger, clock: Clock, suppressed: Counter | None = None) -> None:
        self._logger = logger
        self._clock = clock
        self._suppressed = suppressed or Counter()
        self._logged_at: dict[tuple[str | None, str], float] = {}

    def warning(self, client_id: str | None, host: str, asked: str, why: str) -> None:
        """`why` it cannot have what it `asked` for, in our words."""
        client_id = client_id and client_id[:CLIENT_ID_LENGTH_MAX]
        if self._admit((client_id, asked)):
            self._logger.warning("client %r at %s asks for %s: %s", client_id, host, asked, why)
        else:
            self._suppressed.value += 1

    def _admit(self, key: tuple[str | None, str]) -> bool:
        now = self._clock.monotonic()
        logged_at = self._logged_at.get(key)
        if logged_at is not None and now - logged_at < INTERVAL_S:
            return False
        if logged_at is None and len(self._logged_at) >= REMEMBERED_MAX:
            self._logged_at = {known: at for known, at in self._logged_at.items() if now - at < INTERVAL_S}
            if len(self._logged_at) >= REMEMBERED_MAX:
                return False
        self._logged_at[key] = now
        return True
