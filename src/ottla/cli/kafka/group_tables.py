"""The tables of `kafka-consumer-groups`, with Kafka's blanks: each begins with a line break, some end without one."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ottla.cli.group_lag import partition_lags
from ottla.clients.admin.types import GroupDescription, MemberDescription
from ottla.model import TopicPartition

if TYPE_CHECKING:
    from ottla import Admin

_WIDTH_MIN = 15


def print_groups(admin: "Admin", state: str | None, kind: str | None) -> None:
    """Names; with --state or --type a table, of all or of the named ones."""
    wanted_states = {one.strip().lower() for one in (state or "").split(",") if one}
    wanted_kinds = {one.strip().lower() for one in (kind or "").split(",") if one}
    found = [
        group for group in admin.list_groups()
        if (not wanted_states or group.state.lower() in wanted_states)
        and (not wanted_kinds or (group.type or "classic").lower() in wanted_kinds)
    ]  # fmt: skip
    if state is None and kind is None:
        for group in found:
            print(group.group_id)
        return
    width = max([15, *(len(group.group_id) for group in found)]) + 10
    columns = [("TYPE", kind is not None), ("STATE", state is not None)]
    print(f"{'GROUP':<{width}} " + " ".join(f"{name:<20}" for name, shown in columns if shown))
    for group in found:
        values = [(_title(group.type or "classic"), kind is not None), (group.state, state is not None)]
        print(f"{group.group_id:<{width}} " + " ".join(f"{value:<20}" for value, shown in values if shown))


def print_offsets(admin: "Admin", group: GroupDescription) -> None:
    rows = [
        (
            group.group_id,
            lag.partition.topic,
            str(lag.partition.partition),
            _number(lag.current_offset),
            _number(lag.log_end_offset),
            _number(lag.lag),
            *_member_columns(lag.member),
        )
        for lag in partition_lags(admin, group)
    ]
    head = (
        "GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "CONSUMER-ID", "HOST", "CLIENT-ID",
    )  # fmt: skip
    group_width, topic_width = _width(row[0] for row in rows), _width(row[1] for row in rows)
    member_width, host_width = _width(row[6] for row in rows), _width(row[7] for row in rows)
    widths = (group_width, topic_width, 10, 15, 15, 15, member_width, host_width, 0)
    for row in (head, *rows):
        padded = " ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        print(f"\n{padded}", end="")


def print_members(group: GroupDescription, verbose: bool) -> None:
    has_instances = any(member.group_instance_id for member in group.members)
    widths = {
        "GROUP": _width([group.group_id] if group.members else []),
        "CONSUMER-ID": _width(member.member_id for member in group.members),
        "GROUP-INSTANCE-ID": max(17, _width(member.group_instance_id or "" for member in group.members)),
        "HOST": _width(member.client_host for member in group.members),
        "CLIENT-ID": _width(member.client_id for member in group.members),
        "#PARTITIONS": 15,
    }
    names = [name for name in widths if has_instances or name != "GROUP-INSTANCE-ID"]
    print(
        "\n" + " ".join(f"{name:<{widths[name]}}" for name in names) + " " + ("ASSIGNMENT" if verbose else ""), end=""
    )
    for member in group.members:
        cells = {
            "GROUP": group.group_id,
            "CONSUMER-ID": member.member_id,
            "GROUP-INSTANCE-ID": member.group_instance_id or "",
            "HOST": member.client_host,
            "CLIENT-ID": member.client_id,
            "#PARTITIONS": str(len(member.assignment)),
        }
        print("\n" + " ".join(f"{cells[name]:<{widths[name]}}" for name in names) + " ", end="")
        if verbose:
            print(_assignment(member), end="")
    print()


def print_state(admin: "Admin", group: GroupDescription) -> None:
    node = next((one for one in admin.describe_cluster().brokers if one.node_id == group.coordinator), None)
    coordinator = f"{node.host}:{node.port}  ({node.node_id})" if node else f"({group.coordinator})"
    width = max(25, len(coordinator))
    group_width = max(25, len(group.group_id))
    print(
        f"\n{'GROUP':<{group_width}} {'COORDINATOR (ID)':<{width}} {'ASSIGNMENT-STRATEGY':<20} {'STATE':<15} #MEMBERS"
    )
    print(f"{group.group_id:<{group_width}} {coordinator:<{width}} {group.assignor:<20} {group.state:<15} "
          f"{len(group.members)}")  # fmt: skip


def print_reset(planned: Mapping[str, Mapping[TopicPartition, int]], export: bool) -> None:
    """A table whose rows run on in one line, as Kafka 3.9 prints it; or CSV, with groups where there are several."""
    if export:
        for group, offsets in planned.items():
            prefix = f"{group}," if len(planned) > 1 else ""
            for partition, offset in offsets.items():
                print(f"{prefix}{partition.topic},{partition.partition},{offset}")
        print()
        return
    print(f"\n{'GROUP':<30} {'TOPIC':<30} {'PARTITION':<10} {'NEW-OFFSET':<15}", end="")
    for group, offsets in planned.items():
        for partition, offset in offsets.items():
            print(f"{group:<30} {partition.topic:<30} {partition.partition:<10} {offset:<15}", end="")


def _assignment(member: MemberDescription) -> str:
    """The partitions of each topic. Kafka 3.9 leaves out which topic."""
    topics: dict[str, list[int]] = {}
    for topic, partition in sorted(member.assignment):
        topics.setdefault(topic, []).append(partition)
    if not topics:
        return "-"
    return ", ".join(f"({','.join(map(str, numbers))})" for numbers in topics.values())


def _member_columns(member: MemberDescription | None) -> tuple[str, str, str]:
    return ("-", "-", "-") if member is None else (member.member_id, member.client_host, member.client_id)


def _width(cells: Iterable[str]) -> int:
    return max([_WIDTH_MIN, *map(len, cells)])


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _title(text: str) -> str:
    return text[:1].upper() + text[1:].lower()
