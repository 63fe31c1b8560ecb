"""`kafka-consumer-groups`: list, describe, reset and delete groups and their offsets."""

import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ottla.cli.kafka.clients import open_admin
from ottla.cli.kafka.group_tables import print_groups, print_members, print_offsets, print_reset, print_state
from ottla.cli.kafka.java import exception_name, exception_text
from ottla.cli.kafka.options import ToolOptions, bootstrap_options
from ottla.cli.offset_reset import ResetTo, committed_partitions, plan_reset
from ottla.cli.partition_names import resolve_partitions
from ottla.cli.times import parse_duration_ms, parse_time_ms
from ottla.clients.admin.outcomes import Outcomes
from ottla.errors import KafkaError
from ottla.model import TopicPartition

if TYPE_CHECKING:
    from ottla import Admin

ACTIONS = ("list", "describe", "delete", "reset_offsets", "delete_offsets")
_IDLE = ("Empty", "Dead")
_NO_EXECUTE = (
    "WARN: No action will be performed as the --execute option is missing."
    "In a future major release, the default behavior of this command will be to prompt the user before executing the "
    "reset rather than doing a dry run. You should add the --dry-run option explicitly if you are scripting this "
    "command and want to keep the current default behavior without prompting."
)


def main(arguments: Sequence[str]) -> int:
    given = _parse(arguments)
    if given.reset_offsets and not given.execute and not given.dry_run:
        print(_NO_EXECUTE, file=sys.stderr)
    try:
        with open_admin(given.bootstrap_server, given.command_config) as admin:
            _run(admin, given)
    except KafkaError as error:
        print_error(f"Executing consumer group command failed due to {exception_text(error)}")
        return 1
    return 0


def print_error(message: str) -> None:
    print(f"\nError: {message}")


def _parse(arguments: Sequence[str]) -> Namespace:
    options = ToolOptions("kafka-consumer-groups", "List, describe, reset and delete groups.")
    bootstrap_options(options)
    for flag in ("--list", "--describe", "--delete", "--reset-offsets", "--delete-offsets"):
        options.flag(flag)
    options.values("--group")
    options.flag("--all-groups")
    options.values("--topic", help="name, or name:0,1 with --reset-offsets")
    options.flag("--all-topics")
    options.add_argument("--state", nargs="?", const="")
    options.add_argument("--type", nargs="?", const="")
    for flag in ("--members", "--offsets", "--verbose", "--dry-run", "--execute", "--export"):
        options.flag(flag)
    for flag in ("--to-earliest", "--to-latest", "--to-current"):
        options.flag(flag)
    options.value("--to-offset", type=int)
    options.value("--shift-by", type=int)
    options.value("--to-datetime", help="YYYY-MM-DDTHH:mm:ss.sss, UTC without a zone")
    options.value("--by-duration", help="PnDTnHnMnS")
    options.value("--from-file", help="CSV")
    options.value("--timeout", type=int, help="accepted, without effect")
    given = options.parse(arguments)
    _check(options, given)
    return given


def _check(options: ToolOptions, given: Namespace) -> None:
    if sum(getattr(given, action) for action in ACTIONS) != 1:
        options.fail("Command must include exactly one action: --list, --describe, --delete, --reset-offsets, "
                     "--delete-offsets")  # fmt: skip
    if given.describe and not given.group and not given.all_groups:
        options.fail("Option [describe] takes one of these options: [all-groups], [group]")
    if given.delete and not given.group and not given.all_groups:
        options.fail("Option [delete] takes one of these options: [all-groups], [group]")
    if given.reset_offsets and not given.group and not given.all_groups:
        options.fail("Option [reset-offsets] takes one of these options: [all-groups], [group]")
    if given.reset_offsets and not (given.topic or given.all_topics or given.from_file):
        options.fail("One of the reset scopes should be defined: --all-topics, --topic.")
    if given.delete_offsets and not (given.group and given.topic):
        options.fail("Option [delete-offsets] takes the following options: [group], [topic]")
    if given.reset_offsets and _reset_to(given).count() != 1:
        options.fail("Option [reset-offsets] takes exactly one of the options that say where to")


def _run(admin: "Admin", given: Namespace) -> None:
    if given.list:
        print_groups(admin, given.state, given.type)
    elif given.describe:
        _describe(admin, given)
    elif given.delete:
        _delete(admin, _groups(admin, given))
    elif given.reset_offsets:
        _reset(admin, given)
    else:
        _delete_offsets(admin, given.group[-1], given.topic)


def _groups(admin: "Admin", given: Namespace) -> list[str]:
    return [one.group_id for one in admin.list_groups()] if given.all_groups else list(dict.fromkeys(given.group))


def _describe(admin: "Admin", given: Namespace) -> None:
    for name in _groups(admin, given):
        described = admin.describe_groups([name])[name]
        if described.state == "Dead":
            print_error(f"Consumer group '{name}' does not exist.")
            continue
        sys.stdout.flush()
        if described.state == "Empty":
            print(f"\nConsumer group '{name}' has no active members.", file=sys.stderr)
        elif described.state in ("PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling"):
            print(f"\nWarning: Consumer group '{name}' is rebalancing.", file=sys.stderr)
        if given.members:
            print_members(described, given.verbose)
        elif given.state is not None:
            print_state(admin, described)
        else:
            print_offsets(admin, described)


def _delete(admin: "Admin", names: list[str]) -> None:
    outcomes = admin.delete_groups(names)
    deleted = sorted(outcomes.results)
    if not outcomes.errors:
        print(f"Deletion of requested consumer groups ({', '.join(quoted(deleted))}) was successful.")
        return
    print_error("Deletion of some consumer groups failed:")
    for name, error in outcomes.errors.items():
        cause = f"java.util.concurrent.ExecutionException: {exception_name(error)}: {exception_text(error)}"
        print(f"* Group '{name}' could not be deleted due to: {cause}")
    if deleted:
        joined = "'".join(deleted)
        print(f"\nThese consumer groups were deleted successfully: '{joined}', '")


def quoted(names: Iterable[str]) -> list[str]:
    return [f"'{name}'" for name in names]


def _reset_to(given: Namespace) -> ResetTo:
    return ResetTo(
        earliest=given.to_earliest,
        latest=given.to_latest,
        current=given.to_current,
        offset=given.to_offset,
        shift_by=given.shift_by,
        time_ms=None if given.to_datetime is None else parse_time_ms(_in_utc(given.to_datetime)),
        duration_ms=None if given.by_duration is None else parse_duration_ms(given.by_duration),
        file=given.from_file,
    )


def _in_utc(text: str) -> str:
    clock = text.partition("T")[2]
    return text if text.isdigit() or any(sign in clock for sign in "Z+-") else f"{text}+00:00"


def _reset(admin: "Admin", given: Namespace) -> None:
    planned: dict[str, dict[TopicPartition, int]] = {}
    for name in _groups(admin, given):
        state = admin.describe_groups([name])[name].state
        if state in _IDLE:
            wanted = resolve_partitions(admin, given.topic) if given.topic else committed_partitions(admin, name)
            planned[name] = plan_reset(admin, name, wanted, _reset_to(given))
            if given.execute:
                admin.alter_group_offsets(name, planned[name]).check()
        else:
            print_error(f"Assignments can only be reset if the group '{name}' is inactive, but the current state is "
                        f"{state}.")  # fmt: skip
            planned[name] = {}
    print_reset(planned, given.export)


def _delete_offsets(admin: "Admin", group: str, topics: list[str]) -> None:
    partitions = resolve_partitions(admin, topics)
    try:
        outcomes = admin.delete_group_offsets(group, partitions)
    except KafkaError as error:
        outcomes = Outcomes()
        for partition in partitions:
            outcomes.fail(partition, error)
        if error.code.name == "GROUP_ID_NOT_FOUND":
            print_error(f"'{group}' does not exist.")
        else:
            print_error(f"'{group}': {exception_text(error)}")
    else:
        if outcomes.errors:
            print_error("Encounter some partition level error, see the follow-up details:")
        else:
            print(f"Request succeed for deleting offsets with topic {', '.join(topics)} group {group}")
    print(f"\n{'TOPIC':<30} {'PARTITION':<15} {'STATUS':<15}", end="")
    for partition in partitions:
        failed = outcomes.errors.get(partition)
        status = "Successful" if failed is None else f"Error: :{exception_name(failed)}: {exception_text(failed)}"
        print(f"{partition.topic:<30} {partition.partition:<15} {status:<15}", end="")
