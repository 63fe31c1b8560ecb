"""The log lines of what clients change: topics made, deleted and widened, configs altered; who asked, and for what.

One line each, on the broker that does it. What a client chose stands in it as it came: `observability.logs` escapes it.
Values of keys that hold secrets, and of keys that nobody knows, are hidden.
"""

import logging
from collections.abc import Iterable, Mapping

from ottla.config.keys import broker_keys, topic_keys
from ottla.config.synonyms import base_key
from ottla.config.values import HIDDEN
from ottla.controller.topic_admin import CreatedTopic
from ottla.handlers.config_edits import Edit, Operation
from ottla.handlers.context import RequestContext

logger = logging.getLogger(__name__)

_VALUE_LENGTH_MAX = 200
_SIGNS = {Operation.SET: "=", Operation.APPEND: "+=", Operation.SUBTRACT: "-="}


def log_created(context: RequestContext, created: Iterable[CreatedTopic]) -> None:
    for topic in created:
        logger.info("topic %s is created, asked by %s", topic, _client(context))


def log_deletions(context: RequestContext, names: Iterable[str]) -> None:
    for name in names:
        logger.info("topic %s is being deleted, asked by %s", name, _client(context))


def log_partitions_added(context: RequestContext, sizes: Mapping[str, int]) -> None:
    for name, size in sizes.items():
        logger.info("topic %s has %d partitions now, asked by %s", name, size, _client(context))


def log_altered(context: RequestContext, what: str, edits: Iterable[Edit]) -> None:
    """`what`: "topic clicks", "broker 1", "all brokers". No edits at all replace what was set by nothing."""
    text = ", ".join(map(_edit_text, edits)) or "back to the defaults"
    logger.info("config of %s is altered: %s, asked by %s", what, text, _client(context))


def _client(context: RequestContext) -> str:
    return f"client {context.client_id or '(without a name)'} at {context.client_host}:{context.client_port}"


def _edit_text(edit: Edit) -> str:
    if edit.operation == Operation.DELETE or edit.value is None:
        return f"{edit.key} deleted"
    key = topic_keys().get(edit.key) or broker_keys().get(base_key(edit.key))
    value = HIDDEN if key is None or key.is_sensitive else edit.value[:_VALUE_LENGTH_MAX]
    return f"{edit.key}{_SIGNS[Operation(edit.operation)]}{value}"
