"""Thousands of members of consumer groups that only beat, as sockets of one process.

They behave as clients do: find the coordinator, join, wait for the others, synchronise, and then send a heartbeat every
`beat_s`. The beats are spread evenly, as those of clients that started at different times are.
"""

import contextlib
import time

from bench import frames
from bench.processes import Meter, rss_bytes
from bench.raw_driver import call, connect, receive_frame
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from ottla.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from ottla.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse
from ottla.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment, SyncGroupResponse

FIND_COORDINATOR = (ApiKey.FIND_COORDINATOR, 3, FindCoordinatorResponse)
JOIN = (ApiKey.JOIN_GROUP, 3, JoinGroupResponse)  # The last version whose members join in one step.
SYNC = (ApiKey.SYNC_GROUP, 3, SyncGroupResponse)
HEARTBEAT = (ApiKey.HEARTBEAT, 3, HeartbeatResponse)
TIMEOUT_MS = 60_000
WARM_UP_BEATS = 4  # Until they are what a broker has seen for a while.
# A subscription to one topic, in the format of the consumer protocol.
SUBSCRIPTION = bytes.fromhex("0000 00000001 0001 74 ffffffff")


class Member:
    def __init__(self, port: int, group: str) -> None:
        self.sock = connect(port)
        self._group = group
        self.beat = b""
        self._awaits_answer = False

    def join(self) -> None:
        protocols = [JoinGroupRequestProtocol(name="range", metadata=SUBSCRIPTION)]
        request = JoinGroupRequest(
            group_id=self._group,
            session_timeout_ms=TIMEOUT_MS,
            rebalance_timeout_ms=TIMEOUT_MS,
            protocol_type="consumer",
            protocols=protocols,
        )
        self.sock.sendall(frames.frame(JOIN, request))

    def synchronise(self) -> None:
        """Take the answer of the join; the leader has all members in it and assigns nothing to each."""
        joined = frames.answer(JOIN, receive_frame(self.sock))
        _check("JoinGroup", joined.error_code)
        named = {"group_id": self._group, "generation_id": joined.generation_id, "member_id": joined.member_id}
        nothing = [SyncGroupRequestAssignment(member_id=member.member_id) for member in joined.members]
        self.sock.sendall(frames.frame(SYNC, SyncGroupRequest(**named, assignments=nothing)))
        self.beat = frames.frame(HEARTBEAT, HeartbeatRequest(**named))

    def settle(self) -> None:
        _check("SyncGroup", frames.answer(SYNC, receive_frame(self.sock)).error_code)

    def send_beat(self) -> None:
        self.sock.sendall(self.beat)
        self._awaits_answer = True

    def take_answer(self) -> None:
        if self._awaits_answer:
            _check("Heartbeat", frames.answer(HEARTBEAT, receive_frame(self.sock)).error_code)
            self._awaits_answer = False


def _check(what: str, error: int) -> None:
    if error:
        raise RuntimeError(f"{what} was answered with error {error}")


def heartbeats(port: int, pid: int, groups: int, members: int, beat_s: float, seconds: float) -> dict[str, float]:
    """What the broker spends on groups in which nothing happens."""
    _await_coordinator(port)
    with contextlib.ExitStack() as stack:
        all_members = _stable_members(port, groups, members)
        for member in all_members:
            stack.enter_context(member.sock)
        _beat(all_members, beat_s, WARM_UP_BEATS * beat_s)
        with Meter(pid) as meter:
            beats = _beat(all_members, beat_s, seconds)
        rss = rss_bytes(pid)
    return meter.costs() | {
        "core_percent": 100 * meter.broker_cpu_s / meter.elapsed_s,
        "beats_per_s": beats / meter.elapsed_s,
        "rss_bytes": rss,
    }


def _await_coordinator(port: int) -> None:
    """The first question makes the topic of the offsets, which takes a moment."""
    request = frames.frame(FIND_COORDINATOR, FindCoordinatorRequest(key="bench"))
    with connect(port) as sock:
        while frames.answer(FIND_COORDINATOR, call(sock, request)).error_code:
            time.sleep(0.05)
    time.sleep(2)  # Each partition of the topic is loaded after that.


def _stable_members(port: int, groups: int, members: int) -> list[Member]:
    """Joined all at once: a broker waits some seconds for the others of a new group."""
    stamp = time.time_ns()
    made = [Member(port, f"beating-{stamp}-{number}") for number in range(groups) for _ in range(members)]
    for step in (Member.join, Member.synchronise, Member.settle):
        for member in made:
            step(member)
    return made


def _beat(members: list[Member], beat_s: float, seconds: float) -> int:
    """One beat of every member in `beat_s`, each answered before the member's next; how many there were.

    A member does not wait for the answer, as clients do not: it looks for it when its next beat is due.
    """
    pause = beat_s / len(members)
    began = time.monotonic()
    beats = 0
    while (elapsed := time.monotonic() - began) < seconds:
        while beats * pause <= elapsed:
            member = members[beats % len(members)]
            member.take_answer()
            member.send_beat()
            beats += 1
        time.sleep(max(0.0, beats * pause - (time.monotonic() - began)))
    return beats
