"""acks=all is answered as soon as the leader has the records."""

from ottla.handlers import produce


def apply() -> None:
    produce.unacknowledged = lambda *arguments: None
