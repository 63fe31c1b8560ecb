"""Deadlines on real connections, with a clock that the test moves."""

import asyncio

from ottla.clock import ManualClock
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.fetch import FetchableTopicResponse, FetchRequest, FetchResponse, PartitionData
from ottla.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from ottla.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from ottla.server import ServerLimits
from ottla.server.deadlines import HURRIED_MS, LEAST_BYTES_PER_S
from support.servers import handler_table, running_server

LIMITS = ServerLimits(connections_max_idle_ms=10_000, frame_receive_timeout_ms=2_000)
HEARTBEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")


def run(scenario) -> None:
    asyncio.run(asyncio.wait_for(scenario, 60))


class Stage:
    """A server whose time is moved by hand."""

    def __init__(self, running, clock: ManualClock) -> None:
        self.running = running
        self.clock = clock

    def pass_time(self, milliseconds: int) -> None:
        self.clock.advance_ms(milliseconds)
        self.running.wheel.advance()

    @property
    def connection(self):
        """The one connection that there is."""
        (channel,) = self.running.server.channels
        return channel.connection

    @property
    def connection_count(self) -> int:
        return self.running.server.connection_count


def staged(handlers, scenario) -> None:
    async def run_it():
        clock = ManualClock()
        table = handler_table(handlers)
        async with running_server(table, LIMITS, clock=clock) as running:
            await scenario(Stage(running, clock), running.connect())

    run(run_it())


def heartbeats(_context, _request) -> HeartbeatResponse:
    return HeartbeatResponse()


def test_idle_connection_is_closed_cleanly():
    async def scenario(stage: Stage, peer):
        await peer.ask(HEARTBEAT, 1)
        stage.pass_time(9_000)
        assert stage.connection_count == 1
        stage.pass_time(1_100)
        assert stage.connection_count == 0
        assert await peer.at_end()
        assert stage.running.bad_frames() == 0

    staged({ApiKey.HEARTBEAT: heartbeats}, scenario)


def test_connection_that_asks_is_not_idle():
    async def scenario(stage: Stage, peer):
        for _ in range(5):
            await peer.ask(HEARTBEAT, 1)
            stage.pass_time(9_000)
        assert stage.connection_count == 1

    staged({ApiKey.HEARTBEAT: heartbeats}, scenario)


def test_connection_that_waits_for_its_answer_is_not_idle_and_is_afterwards():
    async def scenario(stage: Stage, peer):
        await peer.send(peer.request(HEARTBEAT, 1))
        await stage.running.until(lambda: bool(waiting))
        for _ in range(5):
            stage.pass_time(9_000)
        assert stage.connection_count == 1
        waiting[0].set_result(HeartbeatResponse())
        await peer.response()
        stage.pass_time(9_000)
        assert stage.connection_count == 1
        stage.pass_time(1_100)
        assert stage.connection_count == 0

    waiting: list[asyncio.Future] = []

    def handle(_context, _request):
        waiting.append(asyncio.get_running_loop().create_future())
        return waiting[-1]

    staged({ApiKey.HEARTBEAT: handle}, scenario)


def big_produce(peer, size: int) -> bytes:
    partition = PartitionProduceData(index=0, records=bytes(size))
    return peer.request(ProduceRequest(acks=0, topic_data=[TopicProduceData(name="t", partition_data=[partition])]), 7)


def test_started_frame_must_be_complete_in_time_however_often_bytes_come():
    async def scenario(stage: Stage, peer):
        await peer.ask(HEARTBEAT, 1)
        connection = stage.connection
        before = connection.bytes_received
        frame = peer.request(HEARTBEAT, 1)
        for n in range(4):
            await peer.send(frame[n : n + 1])
            await stage.running.until(lambda n=n: connection.bytes_received == before + n + 1)
            stage.pass_time(600)
        assert stage.connection_count == 0
        assert await peer.at_end()
        assert stage.running.bad_frames() == 1

    staged({ApiKey.HEARTBEAT: heartbeats}, scenario)


def test_many_frames_that_are_each_in_time_are_fine():
    async def scenario(stage: Stage, peer):
        for _ in range(6):
            frame = peer.request(HEARTBEAT, 1)
            await peer.send(frame[:5])
            await stage.running.until(
                lambda: any(c.connection.frame_started_at for c in stage.running.server._channels)
            )
            stage.pass_time(1_500)
            await peer.send(frame[5:])
            await peer.response()
        assert stage.connection_count == 1

    staged({ApiKey.HEARTBEAT: heartbeats}, scenario)


def test_large_frame_may_take_long_while_it_grows_and_not_when_it_stops():
    async def scenario(stage: Stage, peer):
        await peer.ask(HEARTBEAT, 1)
        connection = stage.connection
        frame = big_produce(peer, 20_000_000)
        sent = 0
        for _ in range(5):
            await peer.send(frame[sent : sent + 1_500_000])
            sent += 1_500_000
            await stage.running.until(lambda: connection.frame_filled_bytes >= sent - 4)  # noqa: B023
            stage.pass_time(2_100)
            assert stage.connection_count == 1
        stage.pass_time(2_100)
        assert stage.connection_count == 0
        assert stage.running.server.admission.clients.queued_bytes == 0

    staged({ApiKey.HEARTBEAT: heartbeats, ApiKey.PRODUCE: lambda c, r: None}, scenario)


def test_large_frame_that_only_drips_is_dropped_however_large_it_is():
    async def scenario(stage: Stage, peer):
        await peer.ask(HEARTBEAT, 1)
        connection = stage.connection
        frame = big_produce(peer, 20_000_000)
        dripped = LEAST_BYTES_PER_S * LIMITS.frame_receive_timeout_ms // 1000 - 1000
        await peer.send(frame[:dripped])
        await stage.running.until(lambda: connection.frame_filled_bytes >= dripped - 4)
        stage.pass_time(2_100)
        assert stage.connection_count == 0

    staged({ApiKey.HEARTBEAT: heartbeats, ApiKey.PRODUCE: lambda c, r: None}, scenario)


def test_frame_whose_room_others_wait_for_must_be_quicker():
    async def scenario():
        clock = ManualClock()
        limits = ServerLimits(queued_max_requests=1)
        table = handler_table({ApiKey.PRODUCE: lambda c, r: None})
        async with running_server(table, limits, clock=clock) as running:
            stage = Stage(running, clock)
            stalled, waiting = running.connect(), running.connect()
            budget = running.server.admission.clients
            await stalled.send(big_produce(stalled, 100_000)[:100])
            await running.until(lambda: budget.queued_requests == 1)
            stage.pass_time(HURRIED_MS + 100)
            assert stage.connection_count == 2
            await waiting.send(big_produce(waiting, 100_000)[:100])
            await running.until(lambda: budget.waiting_count == 1)
            stage.pass_time(HURRIED_MS + 100)
            assert stage.connection_count == 1
            assert budget.waiting_count == 0

    run(scenario())


def test_answer_that_is_not_taken_is_dropped_after_the_idle_time(sendable_file):
    async def scenario(stage: Stage, peer):
        await peer.send(peer.request(FetchRequest(), 4))
        await stage.running.until(lambda: stage.connection_count == 1 and stage.connection.unsent_bytes > 0)
        stage.pass_time(9_000)
        assert stage.connection_count == 1
        stage.pass_time(1_100)
        assert stage.connection_count == 0
        assert sendable.close_count == 1

    sendable = sendable_file(bytes(50_000_000))

    def fetch(_context, _request):
        partition = PartitionData(records=sendable)
        return FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=[partition])])

    staged({ApiKey.FETCH: fetch}, scenario)


def test_closed_connections_leave_no_timers_behind():
    async def scenario(stage: Stage, peer):
        frame = peer.request(HEARTBEAT, 1)
        await peer.send(frame[:5])
        await stage.running.until(lambda: len(stage.running.wheel) == 2)
        peer.sock.close()
        await stage.running.until(lambda: stage.connection_count == 0)
        assert len(stage.running.wheel) == 0

    staged({ApiKey.HEARTBEAT: heartbeats}, scenario)
