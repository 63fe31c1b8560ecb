"""The broker's loggers as a config resource (KIP-412): their levels are shown and changed while it runs.

Kafka's names of levels; the root logger is called `root`. Changes are not kept: a restart begins with the levels of
the configuration.
"""

import logging
from collections.abc import Collection, Iterator, Sequence

from ottla.config.describe import ConfigEntry
from ottla.config.sources import ConfigSource, ConfigType
from ottla.errors.kafka import InvalidConfigError, InvalidRequestError
from ottla.handlers.config_edits import Edit, Operation

ROOT = "root"
_LIST_OPERATIONS: dict[int, str] = {Operation.APPEND: "APPEND", Operation.SUBTRACT: "SUBTRACT"}
LEVELS = {
    "FATAL": logging.CRITICAL,
    "ERROR": logging.ERROR,
    "WARN": logging.WARNING,
    "INFO": logging.INFO,
    "DEBUG": logging.DEBUG,
    "TRACE": logging.DEBUG - 5,
}


def describe_loggers(names: Collection[str] | None) -> Iterator[ConfigEntry]:
    for name in _names():
        if names is None or name in names:
            level = _level_name(_logger(name).getEffectiveLevel())
            yield ConfigEntry(name, level, ConfigSource.BROKER_LOGGER, False, False, ConfigType.UNKNOWN, (), "")


def check_logger_edits(edits: Sequence[Edit]) -> None:
    known = set(_names())
    for edit in edits:
        if edit.key not in known:
            raise InvalidConfigError(f"Logger {edit.key} does not exist!")
        if edit.operation == Operation.SET:
            if (edit.value or "") not in LEVELS:
                raise InvalidConfigError(
                    f"Cannot set the log level of {edit.key} to {edit.value} as it is not a supported log level. "
                    f"Valid log levels are {', '.join(sorted(LEVELS))}"
                )
        elif edit.operation != Operation.DELETE:
            name = _LIST_OPERATIONS.get(edit.operation, str(edit.operation))
            raise InvalidRequestError(f"{name} operation is not allowed for the BROKER_LOGGER resource")
        elif edit.key == ROOT:
            raise InvalidRequestError(f"Removing the log level of the {ROOT} logger is not allowed")


def apply_logger_edits(edits: Sequence[Edit]) -> None:
    for edit in edits:
        level = LEVELS[edit.value or ""] if edit.operation == Operation.SET else logging.NOTSET
        _logger(edit.key).setLevel(level)


def _names() -> list[str]:
    loggers = logging.root.manager.loggerDict
    return [ROOT, *sorted(name for name, logger in loggers.items() if isinstance(logger, logging.Logger))]


def _logger(name: str) -> logging.Logger:
    return logging.getLogger() if name == ROOT else logging.getLogger(name)


def _level_name(level: int) -> str:
    return next((name for name, number in LEVELS.items() if level >= number), "TRACE")
