"""A group coordinator driven by commands in text, for `tests/scenarios/groups`. Everything is about the group `g`.

    config KEY=VALUE...                  attributes of GroupSettings; must come first
    join LABEL [member=] [instance=] [v=] [session=] [rebalance=] [type=] [protocols=range:topic1+topic2,...]
    sync LABEL member= generation= [instance=] [protocol=] [assign=MEMBER:TEXT,...]
    heartbeat member= generation= [instance=]
    leave MEMBER|/INSTANCE...
    commit LABEL t-0=5 [member=] [generation=] [instance=] [metadata=] [expires=]
    fetch t-0... | fetch all, with `stable` to require stable offsets
    delete-offsets LABEL t-0...          delete LABEL            topics-deleted t
    list                                 describe
    advance MS                           time passes, timers fire
    hold | replicate [COUNT] | fail CODE appends wait from now on | are replicated | fail
    refuse CODE | accept                 the log takes no appends | does again
    failover | failover keep             another broker loads the partition, without or with what was not replicated
    records                              what stands in the log

The answer to a command is followed by what else happened: other answers, by label, and moves of the group. Member ids
are CLIENT-N, where N counts joins and the client is called as the request was.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from ottla.clock import ManualClock, TimerWheel
from ottla.coordinators.group.coordinator import GroupCoordinator
from ottla.coordinators.group.records import decode_group_key, decode_group_value
from ottla.coordinators.group.requests import (
    GroupProtocol,
    HeartbeatRequest,
    JoinRequest,
    JoinResult,
    LeavingMember,
    SyncRequest,
    SyncResult,
)
from ottla.coordinators.group.settings import GroupSettings
from ottla.coordinators.offsets.records import decode_offset_key, is_offset_key
from ottla.coordinators.offsets.records import decode_offset_value as decode_offset
from ottla.coordinators.offsets.requests import CommitRequest, OffsetToCommit
from ottla.errors import ErrorCode, KafkaError
from ottla.model import TopicPartition
from ottla.observability.metrics import Metrics
from ottla.protocol.messages.consumer_protocol import ConsumerProtocolSubscription
from ottla.protocol.versioned import encode_versioned
from support.coordinator_logs import MemoryCoordinatorLog

GROUP = "g"
STEP_MS = 20


class GroupScenario:
    def __init__(self) -> None:
        self.clock = ManualClock(wall_ms=1_000_000)
        self.timers = TimerWheel(self.clock)
        self.settings = GroupSettings()
        self.log = MemoryCoordinatorLog()
        self.waiting: dict[str, tuple[asyncio.Future, Callable[[object], str]]] = {}
        self.joins = 0
        self.epoch = 0
        self.coordinator: GroupCoordinator | None = None
        self.shown = ""

    async def run(self, line: str) -> str:
        """One command; the lines that it gives."""
        command, *words = line.split()
        if command != "config" and self.coordinator is None:
            await self.start()
        method = getattr(self, "do_" + command.replace("-", "_"))
        try:
            lines = method(*words)
            if asyncio.iscoroutine(lines):
                lines = await lines
        except KafkaError as error:
            lines = [error.code.name]
        lines = [lines] if isinstance(lines, str) else list(lines or [])
        return "\n".join(lines + self.settle())

    async def start(self) -> None:
        self.epoch += 1
        self.coordinator = GroupCoordinator(
            self.settings, self.log, lambda: 1, self.clock, self.timers, Metrics(self.clock)
        )
        self.coordinator.start()
        self.coordinator.partition_won(0, self.epoch)
        await self.coordinator.loaded()
        self.shown = self.state()

    # What happened

    def settle(self) -> list[str]:
        """Answers that have come since, and where the group is now."""
        if self.coordinator is None:
            return []
        lines = []
        for label, (future, show) in list(self.waiting.items()):
            if future.done():
                lines.append(f"{label}: {show(future.result())}")
                del self.waiting[label]
        state = self.state()
        if state != self.shown:
            lines.append(f"-> {state}")
            self.shown = state
        for shard in self.coordinator.shards():
            shard.offsets.check_invariants()
            for group in shard.groups.values():
                group.check_invariants()
        return lines

    def state(self) -> str:
        group = self.group()
        if group is None:
            is_simple = any(GROUP in shard for shard in self.coordinator.shards())
            return "Empty generation=0 members=-" if is_simple else "no group"
        return f"{group.state.value} generation={group.generation} members={','.join(group.members) or '-'}"

    def group(self):
        return next((group for group in self.coordinator.groups() if group.group_id == GROUP), None)

    def answer(self, label: str, outcome: object, show: Callable[[object], str]) -> str | None:
        if isinstance(outcome, asyncio.Future):
            assert label not in self.waiting, f"{label} waits already"
            self.waiting[label] = (outcome, show)
            return None
        return f"{label}: {show(outcome)}"

    # Commands

    def do_config(self, *words: str) -> None:
        values = {key: int(value) for key, value in (word.split("=") for word in words)}
        self.settings = replace(self.settings, **values)

    def do_join(self, label: str, *words: str) -> str | None:
        options = parse(words)
        self.joins += 1
        version = int(options.get("v", "9"))
        instance_id = options.get("instance")
        request = JoinRequest(
            group_id=GROUP,
            member_id=options.get("member", ""),
            instance_id=instance_id,
            client_id=label,
            client_host="/h",
            session_timeout_ms=int(options.get("session", "10000")),
            rebalance_timeout_ms=int(options.get("rebalance", "60000")),
            protocol_type=options.get("type", "consumer"),
            protocols=protocols(options.get("protocols", "range:t")),
            fresh_id=str(self.joins),
            requires_known_member_id=version >= 4 and instance_id is None,
            supports_skip_assignment=version >= 9,
        )
        return self.answer(label, self.coordinator.join(request), show_join)

    def do_sync(self, label: str, *words: str) -> str | None:
        options = parse(words)
        pairs = [pair.split(":") for pair in options.get("assign", "").split(",") if pair]
        request = SyncRequest(
            GROUP,
            int(options["generation"]),
            options["member"],
            options.get("instance"),
            options.get("type"),
            options.get("protocol"),
            {member: text.encode() for member, text in pairs},
        )
        return self.answer(label, self.coordinator.sync(request), show_sync)

    def do_heartbeat(self, *words: str) -> str:
        options = parse(words)
        request = HeartbeatRequest(GROUP, int(options["generation"]), options["member"], options.get("instance"))
        return self.coordinator.heartbeat(request).name

    def do_leave(self, *names: str) -> list[str]:
        members = [LeavingMember(*name.split("/")) if "/" in name else LeavingMember(name) for name in names]
        results = self.coordinator.leave(GROUP, members)
        return [f"{name}: {result.error.name}" for name, result in zip(names, results, strict=True)]

    def do_commit(self, label: str, *words: str) -> str | None:
        options = parse(words)
        offsets = {
            topic_partition(name): OffsetToCommit(
                int(value), 7, options.get("metadata", ""), self.clock.wall_ms(), int(options.get("expires", "-1"))
            )
            for name, value in options.items()
            if "-" in name
        }
        request = CommitRequest(
            GROUP, int(options.get("generation", "-1")), options.get("member", ""), options.get("instance"), offsets
        )
        return self.answer(label, self.coordinator.commit(request), show_partitions)

    def do_fetch(self, *words: str) -> str:
        names = [word for word in words if word != "stable"]
        wanted = None if names == ["all"] else [topic_partition(name) for name in names]
        offsets = self.coordinator.fetch(GROUP, wanted, require_stable="stable" in words)
        return " ".join(f"{name}={show_fetched(offset)}" for name, offset in sorted(offsets.items())) or "nothing"

    def do_delete_offsets(self, label: str, *names: str) -> str | None:
        outcome = self.coordinator.delete_offsets(GROUP, [topic_partition(name) for name in names])
        return self.answer(label, outcome, lambda r: f"{r.error.name} {show_partitions(r.partitions)}".strip())

    def do_delete(self, label: str) -> str | None:
        return self.answer(label, self.coordinator.delete_group(GROUP), lambda error: error.name)

    def do_topics_deleted(self, *topics: str) -> None:
        self.coordinator.topics_deleted(topics)

    def do_list(self, *states: str) -> list[str]:
        error, groups = self.coordinator.list_groups(states)
        return [*(f"{g.group_id} {g.protocol_type} {g.state} {g.type}" for g in groups), error.name]

    def do_describe(self) -> list[str]:
        group = self.coordinator.describe_group(GROUP)
        if group is None:
            return ["no such group"]
        lines = [
            f"  {m.member_id} instance={m.instance_id} {m.client_id}@{m.client_host} {m.assignment.decode()}"
            for m in group.members
        ]
        return [f"{group.state} {group.protocol_type} {group.protocol_name}".strip(), *lines]

    def do_advance(self, milliseconds: str) -> list[str]:
        """In small steps, so that what comes first is shown first."""
        lines = []
        for _ in range(0, int(milliseconds), STEP_MS):
            self.clock.advance_ms(STEP_MS)
            self.timers.advance()
            lines += self.settle()
        return lines

    def do_hold(self) -> None:
        self.log.is_held = True

    def do_replicate(self, count: str = "") -> None:
        self.log.is_held = False
        self.log.replicate(int(count) if count else None)

    def do_fail(self, code: str) -> None:
        self.log.is_held = False
        self.log.fail(ErrorCode[code])

    def do_refuse(self, code: str) -> None:
        self.log.refuse_with = ErrorCode[code]

    def do_accept(self) -> None:
        self.log.refuse_with = None

    async def do_failover(self, keep: str = "") -> list[str]:
        self.log.is_held = False
        self.coordinator.stop()
        self.log.fail_over(keep_unreplicated=keep == "keep")
        self.shown = ""
        lines = [line for line in self.settle() if not line.startswith("->")]
        await self.start()
        self.shown = ""
        return lines

    def do_records(self) -> list[str]:
        return [show_record(record.key, record.value) for record in self.log.records(0)] or ["nothing"]


def parse(words: tuple[str, ...]) -> dict[str, str]:
    return dict(word.split("=", 1) for word in words)


def topic_partition(name: str) -> TopicPartition:
    topic, _, partition = name.rpartition("-")
    return TopicPartition(topic, int(partition))


def protocols(text: str) -> tuple[GroupProtocol, ...]:
    pairs = (part.partition(":") for part in text.split(",") if part)
    return tuple(GroupProtocol(name, subscription(topics.split("+"))) for name, _, topics in pairs)


def subscription(topics: list[str]) -> bytes:
    return encode_versioned(ConsumerProtocolSubscription(topics=[topic for topic in topics if topic]), 0)


def show_join(result: JoinResult) -> str:
    if result.error is not ErrorCode.NONE:
        return f"{result.error.name} member={result.member_id or '-'}"
    members = ",".join(member.member_id for member in result.members) or "-"
    skip = " skip_assignment" if result.skip_assignment else ""
    return (
        f"joined as {result.member_id} generation={result.generation} leader={result.leader_id} "
        f"protocol={result.protocol_name} members={members}{skip}"
    )


def show_sync(result: SyncResult) -> str:
    return f"assigned [{result.assignment.decode()}]" if result.error is ErrorCode.NONE else result.error.name


def show_partitions(errors: dict[TopicPartition, ErrorCode]) -> str:
    return " ".join(f"{partition}={error.name}" for partition, error in sorted(errors.items()))


def show_fetched(offset) -> str:
    if offset.error is not ErrorCode.NONE:
        return offset.error.name
    return f"{offset.offset}" + (f"({offset.metadata})" if offset.metadata else "")


def show_record(key: bytes, value: bytes | None) -> str:
    if is_offset_key(key):
        _, partition = decode_offset_key(key)
        return f"offset {partition} " + ("tombstone" if value is None else f"{decode_offset(value, 0).offset}")
    name = decode_group_key(key)
    if value is None:
        return f"group {name} tombstone"
    group = decode_group_value(value)
    members = " ".join(f"{m.member_id}[{m.assignment.decode()}]" for m in group.members)
    return f"group {name} generation={group.generation} leader={group.leader} {members}".strip()
