"""Lines on standard error about brokers that are away, from the clients' log (`ottla.clients.outages`)."""

import logging

from ottla.cli.output import note

_LOGGER = "ottla.clients.outages"


class OutageLines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        note(f"ottla: {record.getMessage()}")


_lines = OutageLines()


def tell_outages(*, quiet: bool = False) -> None:
    """From now on, or from now on not."""
    _lines.setLevel(logging.CRITICAL if quiet else logging.WARNING)
    logging.getLogger(_LOGGER).addHandler(_lines)  # which does nothing the second time
