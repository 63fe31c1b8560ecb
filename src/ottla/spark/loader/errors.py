"""What can go wrong in a load.

OttlaError
  CommitConflictError   another loader committed first; nothing of this load is in the table
  OperatorError
    GapError            records are gone before they were loaded, or the topic is not the one it was
    BadRecordError      a record does not fit the schema, and there is no dead-letter topic
    TableLayoutError    the table was made with other settings, or is no table of ours
"""

from ottla.errors import OperatorError, OttlaError


class CommitConflictError(OttlaError):
    """The table moved on while this load was under way. Its files are not read; the next load begins from the table."""


class GapError(OperatorError):
    """Between what the table holds and what the topic still has, records are missing."""


class BadRecordError(OperatorError):
    """A record that does not fit, and nowhere to put it."""


class TableLayoutError(OperatorError):
    """The table and the settings do not go together."""
