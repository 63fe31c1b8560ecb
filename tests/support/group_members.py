"""Members of consumer groups as real clients run them, each client behind the same handle.

A member has a process of its own, so that it can be killed; Java's may share one (`beside`), since a JVM takes a second
to start. A consumer joins and learns of rebalances while it is polled, so waiting for a group means
polling all its members at once.
"""

import itertools
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, NamedTuple

from support.drivers.pipe import FranzDriver, JavaDriver, PipeDriver, PythonDriver
from support.eventually import eventually

MEMBER_CLIENTS = ("confluent-kafka", "kafka-python", "aiokafka", "franz-go", "java-3.9.1", "java-4.3.0")
SESSION_TIMEOUT_MS = 6000
EVERYTHING = 1_000_000
POLL_MS = 200
STABLE_SECONDS_MAX = 60

_PROGRAMS = {
    "confluent-kafka": "confluent_members.py",
    "kafka-python": "kafka_python_members.py",
    "aiokafka": "aiokafka_members.py",
}
_numbers = itertools.count(1)


class Polled(NamedTuple):
    """`events`: all rebalance callbacks so far, as (name, partitions)."""

    records: list[dict[str, Any]]
    assignment: frozenset[str]
    events: list[tuple[str, frozenset[str]]]


def member_process(client: str) -> PipeDriver:
    if client in _PROGRAMS:
        return PythonDriver(client, _PROGRAMS[client])
    return FranzDriver(client) if client == "franz-go" else JavaDriver(client.removeprefix("java-"))


class GroupMember:
    """A consumer that has subscribed. It commits when it is told to."""

    def __init__(
        self,
        client: str,
        address: str,
        group: str,
        topics: Sequence[str] = (),
        *,
        pattern: str | None = None,
        beside: "GroupMember | None" = None,
        **config: str,
    ) -> None:
        self.client = client
        beside = beside if client.startswith("java") else None
        self.process = beside.process if beside else member_process(client)
        self._lock = beside._lock if beside else Lock()
        self._name = f"member-{next(_numbers)}"
        self.polled = Polled([], frozenset(), [])
        settings = {"group.id": group, **_settings(client), **{key.replace("_", "."): config[key] for key in config}}
        subscription: dict[str, Any] = {"topics": list(topics)} if pattern is None else {"pattern": pattern}
        self._call("open", bootstrap=address, config=settings, **subscription)

    def poll(self, count: int = EVERYTHING, timeout_ms: int = POLL_MS) -> Polled:
        """Until `count` records are there or the time is over."""
        answer = self._call("poll", count=count, timeout_ms=timeout_ms)
        events = [(event["event"], frozenset(event["partitions"])) for event in answer["events"]]
        self.polled = Polled(answer["records"], frozenset(answer["assignment"]), events)
        return self.polled

    def commit(self) -> None:
        self._call("commit")

    def commit_async(self) -> None:
        self._call("commit_async")

    def committed(self, topic: str, partition: int) -> int:
        offset: int = self._call("committed", topic=topic, partition=partition)["offset"]
        return offset

    def seek(self, topic: str, partition: int, offset: int) -> None:
        self._call("seek", topic=topic, partition=partition, offset=offset)

    def pause(self) -> None:
        self._call("pause")

    def resume(self) -> None:
        self._call("resume")

    def leave(self) -> None:
        self._call("close")

    def kill(self) -> None:
        """kill -9 of its process."""
        self.process.close()

    def _call(self, op: str, **arguments: Any) -> dict[str, Any]:
        with self._lock:
            return self.process.call(op, consumer=self._name, **arguments)


def _settings(client: str) -> dict[str, str]:
    """Quick to beat and to learn of topics, as each client spells it."""
    settings = {
        "auto.offset.reset": "earliest",
        "enable.auto.commit": "false",
        "session.timeout.ms": str(SESSION_TIMEOUT_MS),
        "heartbeat.interval.ms": "300",
        "metadata.max.age.ms": "1000",
    }
    if client == "confluent-kafka":
        settings["topic.metadata.refresh.interval.ms"] = settings.pop("metadata.max.age.ms")
    return settings


class Members(list[GroupMember]):
    """The members of a test's group; their processes are ended with the test, also of those that have left."""

    def __init__(self) -> None:
        super().__init__()
        self._opened: list[GroupMember] = []

    def add(self, *arguments: Any, **options: Any) -> GroupMember:
        member = GroupMember(*arguments, **options)
        self.append(member)
        self._opened.append(member)
        return member

    def end(self) -> None:
        for member in self._opened:
            member.kill()


def poll_all(members: Iterable[GroupMember], **options: Any) -> list[Polled]:
    """All at once."""
    chosen = list(members)
    with ThreadPoolExecutor(len(chosen)) as pool:
        return list(pool.map(lambda member: member.poll(**options), chosen))


def await_shared(members: Sequence[GroupMember], partitions: Iterable[str]) -> list[dict[str, Any]]:
    """Poll until every member owns something and every partition has one owner. Gives the records read meanwhile."""
    wanted = sorted(partitions)
    records: list[dict[str, Any]] = []

    def shared() -> bool:
        polled = poll_all(members)
        records.extend(record for one in polled for record in one.records)
        owned = [one.assignment for one in polled]
        return all(owned) and sorted(name for names in owned for name in names) == wanted

    eventually(shared, STABLE_SECONDS_MAX)
    return records


def await_records(members: Sequence[GroupMember], count: int) -> list[dict[str, Any]]:
    """Poll until so many different records have been read."""
    seen: dict[tuple[str, int, int], dict[str, Any]] = {}

    def enough() -> bool:
        for polled in poll_all(members):
            seen.update({(row["topic"], row["partition"], row["offset"]): row for row in polled.records})
        return len(seen) >= count

    eventually(enough, STABLE_SECONDS_MAX)
    return list(seen.values())
