"""How a command's failure is told on standard error: a sentence for people, or one line of JSON for programs.

    {"error": "UNKNOWN_TOPIC_OR_PARTITION", "code": 3, "message": "...", "advice": "..."}

With --format json or jsonl (or a profile that says so) it is JSON. `error` is Kafka's name of the code where there is
one, else ours: USAGE, NO_BROKER, CONFIG ...
"""

import errno
import json
import re
from collections.abc import Sequence

import click

from ottla.cli.kafka.names import KAFKA_TOOLS
from ottla.cli.profiles import load_profile
from ottla.errors.tree import OperatorError, OttlaError

_JSON = ("json", "jsonl")

# What to do next, after the errors that people meet. By the name of the class, so that nothing needs to be imported.
ADVICE = {
    "NoBrokerError": "Is it running there? `ottla start` starts one; -b names another.",
    "UnknownTopicOrPartitionError": "`ottla topics list` shows the topics that there are.",
    "TopicAlreadyExistsError": "`ottla topics alter TOPIC` changes it; --if-not-exists leaves it as it is.",
    "BrokerNotAvailableError": "`ottla brokers` shows the brokers that there are.",
    "InvalidReplicationFactorError": "`ottla brokers` shows the brokers that there are.",
    "GroupIdNotFoundError": "`ottla groups list` shows the groups that there are.",
    "NonEmptyGroupError": "Stop its consumers first; `ottla groups describe GROUP --members` shows them.",
    "UnknownMemberIdError": "Stop its consumers first; `ottla groups describe GROUP --members` shows them.",
    "UnsupportedVersionError": "This broker cannot do that.",
    "PolicyViolationError": "The cluster has a rule against it.",
    "TopicAuthorizationFailedError": "Ask whoever runs the cluster for the right to do so.",
    "InvalidConfigError": "`ottla configs topic TOPIC --all` shows the keys that there are.",
}


def report(error: click.ClickException | OttlaError | OSError, arguments: Sequence[str], *, color: bool | None) -> None:
    """`arguments` are those of the command line: what is wrong may be among them, so no parser has seen them whole."""
    if _wants_json(arguments):
        click.echo(json.dumps(_fields(error), ensure_ascii=False), err=True)
    elif isinstance(error, click.ClickException):
        error.show()
    else:
        advice = _advice(error)
        text = f"{_message(error)}. {advice}" if advice else _message(error)
        click.echo(click.style("ottla: ", fg="red") + text, err=True, color=color)


def _wants_json(arguments: Sequence[str]) -> bool:
    if not arguments or arguments[0].removesuffix(".sh") in KAFKA_TOOLS:
        return False
    form = _option(arguments, "--format")
    if form is None:
        try:
            form = load_profile(_option(arguments, "--profile")).format
        except OperatorError:
            return False
    return form in _JSON


def _option(arguments: Sequence[str], name: str) -> str | None:
    found = None
    for argument, following in zip(arguments, [*arguments[1:], None], strict=True):
        if argument == name:
            found = following
        elif argument.startswith(f"{name}="):
            found = argument.partition("=")[2]
    return found


def _fields(error: click.ClickException | OttlaError | OSError) -> dict[str, object]:
    code = getattr(error, "code", None)
    return {"error": _name(error), "code": code, "message": _message(error), "advice": _advice(error)}


def _name(error: click.ClickException | OttlaError | OSError) -> str:
    if isinstance(error, click.ClickException):
        return "USAGE"
    if isinstance(error, OttlaError):
        code = getattr(error, "code", None)
        if code is not None:
            return str(code.name)
        words = re.findall(r"[A-Z][a-z0-9]*", type(error).__name__.removesuffix("Error"))
        return "_".join(words).upper() or "ERROR"
    return errno.errorcode.get(error.errno or 0, "OS_ERROR")


def _message(error: click.ClickException | OttlaError | OSError) -> str:
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OttlaError):
        return str(error).rstrip(".")
    where = f"{error.filename}: " if error.filename is not None else ""
    return f"{where}{error.strerror or error}"


def _advice(error: click.ClickException | OttlaError | OSError) -> str | None:
    """What the person may do about it, where there is something to say."""
    if not isinstance(error, OttlaError):
        return None
    return next((ADVICE[cls.__name__] for cls in type(error).__mro__ if cls.__name__ in ADVICE), None)
