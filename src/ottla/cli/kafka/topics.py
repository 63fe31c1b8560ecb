"""`kafka-topics`: create, list, describe, alter and delete topics."""

import re
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ottla.cli.kafka.clients import brokers_in_zookeeper, open_admin
from ottla.cli.kafka.java import exception_name, exception_text, log_line
from ottla.cli.kafka.options import ToolOptions, bootstrap_options
from ottla.cli.kafka.topic_listing import IllegalArgument, describe, matching_topics
from ottla.clients.admin.types import ConfigResource, NewTopic
from ottla.errors import KafkaError
from ottla.errors.kafka import TopicAlreadyExistsError

if TYPE_CHECKING:
    from ottla import Admin

LOGGER = "org.apache.kafka.tools.TopicCommand"
REPLICAS_MAX = 32767
ACTIONS = ("create", "list", "describe", "alter", "delete")
_COLLISION = (
    "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') could collide. "
    "To avoid issues it is best to use either, but not both."
)


def main(arguments: Sequence[str]) -> int:
    given = _parse(arguments)
    try:
        server = given.bootstrap_server or brokers_in_zookeeper(given.zookeeper)
        with open_admin(server, given.command_config) as admin:
            _run(admin, given)
    except KafkaError as error:
        return _failed(exception_text(error), exception_name(error))
    except IllegalArgument as error:
        return _failed(str(error), "java.lang.IllegalArgumentException")
    return 0


def _failed(message: str, exception: str) -> int:
    print(f"Error while executing topic command : {message}")
    sys.stdout.flush()
    print(log_line("ERROR", f"{exception}: {message}\n", LOGGER), file=sys.stderr)
    return 1


def _parse(arguments: Sequence[str]) -> Namespace:
    options = ToolOptions("kafka-topics", "Create, list, describe, alter and delete topics.")
    bootstrap_options(options, required=False)
    options.value("--zookeeper", help="host:port/chroot, as the manual's examples have it")
    for action in ACTIONS:
        options.flag(f"--{action}")
    options.value("--topic", help="a name; for all but --create a regular expression")
    options.value("--topic-id", help="of the topic to describe")
    options.value("--partitions", type=int)
    options.value("--replication-factor", type=int)
    options.value("--replica-assignment", help="broker:broker,broker:broker for partition 0, 1 ...")
    options.values("--config", help="name=value")
    options.values("--delete-config", "--deleteConfig", help="name")
    for flag in ("if-exists", "if-not-exists", "exclude-internal", "topics-with-overrides"):
        options.flag(f"--{flag}")
    for flag in ("under-replicated", "unavailable", "under-min-isr", "at-min-isr"):
        options.flag(f"--{flag}-partitions")
    options.value("--partition-size-limit-per-response", type=int, help="accepted, without effect")
    options.flag("--force", help="accepted, without effect")
    given = options.parse(arguments)
    _check(options, given)
    return given


def _check(options: ToolOptions, given: Namespace) -> None:
    chosen = [action for action in ACTIONS if getattr(given, action)]
    if len(chosen) != 1:
        options.fail("Command must include exactly one action: --list, --describe, --create, --alter or --delete")
    if not given.bootstrap_server and not given.zookeeper:
        options.fail('Missing required argument "[bootstrap-server]"')
    if chosen[0] in ("create", "alter", "delete") and given.topic is None:
        options.fail('Missing required argument "[topic]"')
    if given.config and given.alter and not given.zookeeper:
        options.fail('Option combination "[bootstrap-server],[config]" can\'t be used with option "[alter]"')


def _run(admin: "Admin", given: Namespace) -> None:
    if given.create:
        _create(admin, given)
    elif given.list:
        print("\n".join(matching_topics(admin, given.topic, given.exclude_internal)))
    elif given.describe:
        describe(admin, given)
    elif given.alter:
        _alter(admin, given)
    else:
        names = _existing(admin, given)
        if names:
            admin.delete_topics(names).check()
            if given.zookeeper:
                print("\n".join(f"Topic {name} is marked for deletion." for name in names))


def _create(admin: "Admin", given: Namespace) -> None:
    if given.partitions is not None and given.partitions < 1:
        raise IllegalArgument("The partitions must be greater than 0")
    if given.replication_factor is not None and not 1 <= given.replication_factor <= REPLICAS_MAX:
        raise IllegalArgument(f"The replication factor must be between 1 and {REPLICAS_MAX} inclusive")
    if re.search(r"[._]", given.topic):
        print(_COLLISION)
    configs = dict(text.split("=", 1) for text in given.config)
    assignment = _assignment(given.replica_assignment) if given.replica_assignment else {}
    partitions = -1 if given.partitions is None else given.partitions
    replicas = -1 if given.replication_factor is None else given.replication_factor
    topic = NewTopic(given.topic, partitions, replicas, configs, assignment)
    try:
        admin.create_topics([topic]).check()
    except TopicAlreadyExistsError:
        if not given.if_not_exists:
            raise
        return
    print(f'Created topic "{given.topic}".' if given.zookeeper else f"Created topic {given.topic}.")


def _alter(admin: "Admin", given: Namespace) -> None:
    names = _existing(admin, given)
    changes: dict[str, str | None] = dict(text.split("=", 1) for text in given.config)
    changes.update(dict.fromkeys(given.delete_config))
    for name in names:
        if changes:
            admin.alter_configs({ConfigResource.topic(name): changes}).check()
            print(f'Updated config for topic "{name}".')
    if given.partitions is not None and names:
        if given.zookeeper:
            print("WARNING: If partitions are increased for a topic that has a key, the partition logic or ordering of "
                  "the messages will be affected")  # fmt: skip
        admin.create_partitions(dict.fromkeys(names, given.partitions)).check()
        if given.zookeeper:
            print("Adding partitions succeeded!")


def _existing(admin: "Admin", given: Namespace) -> list[str]:
    """The topics that the expression means; none is an error unless --if-exists says otherwise."""
    names = matching_topics(admin, given.topic, given.exclude_internal)
    if not names and not given.if_exists:
        if given.zookeeper:
            raise IllegalArgument(f"Topic {given.topic} does not exist on ZK path {given.zookeeper}")
        raise IllegalArgument(f"Topic 'Optional[{given.topic}]' does not exist as expected")
    return names


def _assignment(text: str) -> dict[int, list[int]]:
    return {number: [int(broker) for broker in part.split(":")] for number, part in enumerate(text.split(","))}
