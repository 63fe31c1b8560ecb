"""Connections that only beat wait for each other a little, and are in a hurry again when they do anything else."""

import asyncio

import pytest

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from ottla.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse
from ottla.server.channel import HEARTBEATS_UNTIL_COALESCED
from support.servers import handler_table, running_server

HEARTBEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")
TABLE = handler_table(
    {ApiKey.HEARTBEAT: lambda c, r: HeartbeatResponse(), ApiKey.LEAVE_GROUP: lambda c, r: LeaveGroupResponse()}
)


@pytest.fixture
def any_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beats count however soon they come."""
    monkeypatch.setattr("ottla.server.channel.HEARTBEAT_GAP_S", 0.0)


def run(scenario) -> None:
    asyncio.run(asyncio.wait_for(scenario, 60))


def coalesced(running) -> int:
    return len(running.server._services.coalesced_reads)


@pytest.mark.usefixtures("any_gap")
def test_a_connection_that_only_beats_is_in_no_hurry_until_it_does_something_else():
    async def scenario():
        async with running_server(TABLE) as running:
            member = running.connect()
            for beat in range(HEARTBEATS_UNTIL_COALESCED):
                assert coalesced(running) == 0, beat
                await member.ask(HEARTBEAT, 1)
            assert coalesced(running) == 1
            for _ in range(2 * HEARTBEATS_UNTIL_COALESCED):
                assert (await member.ask(HEARTBEAT, 1)).error_code == 0
            assert coalesced(running) == 1
            await member.ask(LeaveGroupRequest(group_id="g", member_id="m"), 1)
            assert coalesced(running) == 0
            assert (await member.ask(HEARTBEAT, 1)).error_code == 0

    run(scenario())


def test_beats_in_quick_succession_are_answered_at_once():
    async def scenario():
        async with running_server(TABLE) as running:
            member = running.connect()
            for _ in range(5 * HEARTBEATS_UNTIL_COALESCED):
                await member.ask(HEARTBEAT, 1)
                assert coalesced(running) == 0

    run(scenario())


@pytest.mark.usefixtures("any_gap")
def test_many_members_are_all_answered_and_one_that_goes_is_noticed():
    async def scenario():
        async with running_server(TABLE) as running:
            members = [running.connect() for _ in range(50)]
            for _ in range(HEARTBEATS_UNTIL_COALESCED + 2):
                await asyncio.gather(*(member.ask(HEARTBEAT, 1) for member in members))
            assert coalesced(running) == 50
            members[0].sock.close()
            await running.until(lambda: coalesced(running) == 49)
            assert running.server.connection_count == 49
            await asyncio.gather(*(member.ask(HEARTBEAT, 1) for member in members[1:]))

    run(scenario())
