"""Admission: the budget alone, and a server whose budget is spent by frames that are being received."""

import asyncio
import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.clock import ManualClock
from ottla.handlers.context import NO_RESPONSE
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from ottla.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from ottla.server import ListenerSpec, ServerLimits
from ottla.server.admission import Admission, RequestBudget
from ottla.transport.connection import FRAME_ROOM_BYTES
from support.servers import LOOPBACK, handler_table, running_server


def run(scenario) -> None:
    asyncio.run(asyncio.wait_for(scenario, 60))


class Waiting:
    def __init__(self) -> None:
        self.admitted = 0

    def admit_frame(self) -> None:
        self.admitted += 1


def test_frame_is_admitted_while_any_of_the_budget_is_left():
    budget = RequestBudget(ManualClock(), requests_max=10, bytes_max=100)
    assert budget.try_take(Waiting(), 99)
    assert budget.try_take(Waiting(), 1_000_000)
    assert not budget.try_take(Waiting(), 1)


def test_those_who_wait_are_admitted_in_their_order_as_far_as_the_budget_goes():
    budget = RequestBudget(ManualClock(), requests_max=2, bytes_max=1000)
    assert budget.try_take(Waiting(), 1)
    assert budget.try_take(Waiting(), 1)
    first, second, third = Waiting(), Waiting(), Waiting()
    for waiter in (first, second, third):
        assert not budget.try_take(waiter, 1)
    assert budget.forget(second)
    budget.give_back(1)
    assert (first.admitted, second.admitted, third.admitted) == (1, 0, 0)
    budget.give_back(1)
    assert (first.admitted, second.admitted, third.admitted) == (1, 0, 1)
    assert budget.queued_requests == 2


def test_time_in_which_somebody_waits_is_kept():
    clock = ManualClock()
    budget = RequestBudget(clock, requests_max=1, bytes_max=1)
    assert budget.try_take(Waiting(), 1)
    clock.advance_ms(1000)
    assert not budget.try_take(Waiting(), 1)
    clock.advance_ms(2000)
    assert budget.paused_s == pytest.approx(2)
    budget.give_back(1)
    clock.advance_ms(4000)
    assert budget.paused_s == pytest.approx(2)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 60)), max_size=80))
def test_nobody_waits_while_anything_is_left(steps: list[tuple[bool, int]]):
    budget = RequestBudget(ManualClock(), requests_max=4, bytes_max=100)
    taken: list[int] = []
    waiting: list[tuple[Waiting, int]] = []
    for take, size in steps:
        if take:
            waiter = Waiting()
            if budget.try_take(waiter, size):
                taken.append(size)
            else:
                waiting.append((waiter, size))
        elif taken:
            budget.give_back(taken.pop())
        admitted = [entry for entry in waiting if entry[0].admitted]
        assert waiting[: len(admitted)] == admitted
        waiting = waiting[len(admitted) :]
        taken.extend(size for _, size in admitted)
        assert budget.queued_requests == len(taken)
        assert budget.queued_bytes == sum(taken)
        assert not waiting or len(taken) >= 4 or sum(taken) >= 100


def test_growth_leaves_half_of_the_bytes_to_those_that_begin():
    budget = RequestBudget(ManualClock(), requests_max=100, bytes_max=100)
    assert budget.try_take(Waiting(), 2)
    assert budget.try_grow(Waiting(), 1_000_000)
    for _ in range(24):
        assert budget.try_take(Waiting(), 2)
    assert not budget.try_take(Waiting(), 2)


def test_growth_waits_for_growth_and_is_admitted_before_those_that_begin():
    budget = RequestBudget(ManualClock(), requests_max=3, bytes_max=100)
    assert budget.try_take(Waiting(), 2)
    assert budget.try_grow(Waiting(), 200)
    assert budget.try_take(Waiting(), 2)
    growing, gone, beginning = Waiting(), Waiting(), Waiting()
    assert not budget.try_grow(growing, 300)
    assert not budget.try_grow(gone, 300)
    assert budget.forget(gone)
    assert budget.try_take(Waiting(), 2)
    assert not budget.try_take(beginning, 2)
    assert budget.waiting_count == 2
    budget.give_back(2, 200)
    assert (growing.admitted, gone.admitted, beginning.admitted) == (1, 0, 1)
    assert (budget.queued_bytes, budget.grown_bytes, budget.waiting_count) == (306, 300, 0)


def test_one_frame_may_grow_when_those_that_began_have_taken_everything():
    budget = RequestBudget(ManualClock(), requests_max=100, bytes_max=100)
    assert budget.try_take(Waiting(), 100)
    assert budget.try_grow(Waiting(), 1_000)
    assert not budget.try_grow(Waiting(), 1)


CONTROL_APIS = frozenset({ApiKey.STOP_REPLICA, ApiKey.UPDATE_METADATA})


def test_control_requests_have_their_own_budget_by_api_key_where_no_listener_is_apart():
    admission = Admission(ManualClock(), 1, 1, is_control_api=CONTROL_APIS.__contains__)
    for api_key in ApiKey:
        budget = admission.budget_for(api_key, control_listener=False)
        assert (budget is admission.control) == (api_key in CONTROL_APIS)


def test_listener_decides_alone_where_brokers_have_their_own():
    admission = Admission(ManualClock(), 1, 1, is_control_api=None)
    assert admission.budget_for(ApiKey.LEADER_AND_ISR, control_listener=False) is admission.clients
    assert admission.budget_for(ApiKey.FETCH, control_listener=True) is admission.control


def produce(size: int) -> ProduceRequest:
    partition = PartitionProduceData(index=0, records=bytes(size))
    return ProduceRequest(acks=0, topic_data=[TopicProduceData(name="t", partition_data=[partition])])


def sizes_table(handled: list[int]):
    def handle_produce(_context, request):
        handled.append(len(request.topic_data[0].partition_data[0].records))
        return NO_RESPONSE

    return handler_table({ApiKey.PRODUCE: handle_produce, ApiKey.HEARTBEAT: lambda c, r: HeartbeatResponse()})


HEARTBEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")
BIG = 200_000


@pytest.mark.parametrize(
    "limits",
    [
        ServerLimits(queued_max_requests=2),
        ServerLimits(queued_max_request_bytes=BIG + 5000),
    ],
    ids=["requests", "bytes"],
)
def test_at_the_bound_reading_stops_connections_stay_and_all_recovers(limits: ServerLimits):
    async def scenario():
        handled: list[int] = []
        async with running_server(sizes_table(handled), limits) as running:
            peers = [running.connect() for _ in range(6)]
            frames = [peer.request(produce(BIG + n), 7) for n, peer in enumerate(peers)]
            for peer, frame in zip(peers, frames, strict=True):
                await peer.send(frame[:100])
            budget = running.server.admission.clients
            await running.until(lambda: budget.waiting_count == 4)
            assert (budget.queued_requests, handled) == (2, [])
            small = running.connect()
            await small.ask(HEARTBEAT, 1)
            assert running.server.connection_count == 7
            sends = [peer.send(frame[100:]) for peer, frame in zip(peers, frames, strict=True)]
            await asyncio.gather(*sends)
            await running.until(lambda: len(handled) == 6)
            assert sorted(handled) == [BIG + n for n in range(6)]
            assert (budget.queued_requests, budget.queued_bytes, budget.waiting_count) == (0, 0, 0)

    run(scenario())


def test_bytes_that_a_handler_goes_on_with_are_counted_until_it_ends():
    async def scenario():
        go_on = asyncio.Event()

        async def work(context):
            await go_on.wait()
            return NO_RESPONSE

        def handle_produce(context, request):
            context.held_bytes = len(request.topic_data[0].partition_data[0].records)
            return work(context)

        limits = ServerLimits(queued_max_request_bytes=BIG)
        async with running_server(handler_table({ApiKey.PRODUCE: handle_produce}), limits) as running:
            first, second = running.connect(), running.connect()
            budget = running.server.admission.clients
            await first.send(first.request(produce(BIG), 7))
            await running.until(lambda: (budget.queued_requests, budget.queued_bytes) == (1, BIG))
            await second.send(second.request(produce(BIG), 7)[:100])
            await running.until(lambda: budget.waiting_count == 1)
            first.sock.close()
            go_on.set()
            await running.until(lambda: budget.waiting_count == 0)

    run(scenario())


def test_budget_comes_back_when_connections_die_in_any_state():
    async def scenario():
        handled: list[int] = []
        async with running_server(sizes_table(handled), ServerLimits(queued_max_requests=2)) as running:
            peers = [running.connect() for _ in range(5)]
            for peer in peers:
                await peer.send(peer.request(produce(BIG), 7)[:100])
            budget = running.server.admission.clients
            await running.until(lambda: budget.waiting_count == 3)
            for peer in peers[:4]:
                peer.sock.close()
            # Waiting connections are not read, so their end is seen only when it is their turn.
            await running.until(lambda: running.server.connection_count == 1)
            assert (budget.queued_requests, budget.waiting_count) == (1, 0)
            await peers[4].send(bytes(BIG))
            await running.until(lambda: len(handled) == 1)

    run(scenario())


def test_clients_at_their_bound_do_not_stop_the_listener_between_brokers():
    async def scenario():
        handled: list[int] = []
        internal = ListenerSpec(name="INTERNAL", host="127.0.0.1", port=0, is_control=True)
        limits = ServerLimits(queued_max_requests=1)
        async with running_server(sizes_table(handled), limits, (LOOPBACK, internal)) as running:
            client, waiting, broker = running.connect(), running.connect(), running.connect("INTERNAL")
            await client.send(client.request(produce(BIG), 7)[:100])
            await running.until(lambda: running.server.admission.clients.queued_requests == 1)
            await waiting.send(waiting.request(produce(BIG + 1), 7))
            await broker.send(broker.request(produce(BIG + 2), 7))
            await running.until(lambda: len(handled) == 1)
            assert handled == [BIG + 2]

    run(scenario())


LARGE = 5_000_000


def test_size_that_is_only_announced_holds_nobody_back():
    """Eight bytes that announce the largest frame there is, with the bounds that a broker has by default."""

    async def scenario():
        handled: list[int] = []
        async with running_server(sizes_table(handled)) as running:
            stranger, client = running.connect(), running.connect()
            announced = struct.pack(">ihhi", ServerLimits().socket_request_max_bytes, 0, 3, 1)
            budget = running.server.admission.clients
            await stranger.send(announced)
            await running.until(lambda: budget.queued_requests == 1)
            assert budget.queued_bytes == FRAME_ROOM_BYTES
            for size in (BIG, LARGE):
                await client.send(client.request(produce(size), 7))
                await running.until(lambda size=size: handled[-1:] == [size])

    run(scenario())


def test_large_frame_that_stalls_holds_back_large_frames_and_no_others():
    async def scenario():
        handled: list[int] = []
        limits = ServerLimits(queued_max_request_bytes=3 * LARGE)
        async with running_server(sizes_table(handled), limits) as running:
            budget = running.server.admission.clients
            stalled, waiting, ordinary = (running.connect() for _ in range(3))
            await stalled.send(stalled.request(produce(4 * LARGE), 7)[: FRAME_ROOM_BYTES + 100])
            await running.until(lambda: budget.grown_bytes > 0)
            frame = waiting.request(produce(LARGE + 1), 7)
            sending = asyncio.create_task(waiting.send(frame))
            await running.until(lambda: budget.waiting_count == 1)
            await ordinary.send(ordinary.request(produce(BIG), 7))
            await running.until(lambda: handled == [BIG])
            stalled.sock.close()
            await sending
            await running.until(lambda: handled == [BIG, LARGE + 1])
            assert (budget.queued_requests, budget.queued_bytes, budget.grown_bytes) == (0, 0, 0)

    run(scenario())


def test_budget_comes_back_when_who_waits_to_grow_is_closed():
    async def scenario():
        limits = ServerLimits(queued_max_request_bytes=LARGE)
        async with running_server(sizes_table([]), limits) as running:
            budget = running.server.admission.clients
            peers = [running.connect() for _ in range(2)]
            for waiting_count, peer in enumerate(peers):
                await peer.send(peer.request(produce(LARGE), 7)[: FRAME_ROOM_BYTES + 100])
                await running.until(lambda: budget.grown_bytes > 0)
                await running.until(lambda count=waiting_count: budget.waiting_count == count)
            for channel in running.server.channels:
                channel.close("the test ends it")
            assert (budget.queued_requests, budget.queued_bytes, budget.grown_bytes) == (0, 0, 0)
            assert budget.waiting_count == 0

    run(scenario())


@pytest.mark.parametrize("size", [FRAME_ROOM_BYTES - 100, FRAME_ROOM_BYTES + 1, LARGE, 2 * LARGE])
def test_frame_that_grew_is_what_was_sent(size: int):
    sent = random.Random(size).randbytes(size)
    received: list[bytes] = []

    def handle_produce(_context, request):
        received.append(bytes(request.topic_data[0].partition_data[0].records))
        return NO_RESPONSE

    async def scenario():
        async with running_server(handler_table({ApiKey.PRODUCE: handle_produce})) as running:
            peer = running.connect()
            partition = PartitionProduceData(index=0, records=sent)
            topics = [TopicProduceData(name="t", partition_data=[partition])]
            await peer.send(peer.request(ProduceRequest(acks=0, topic_data=topics), 7))
            await running.until(lambda: bool(received))

    run(scenario())
    assert received == [sent]
