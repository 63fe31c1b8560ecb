"""What one connection can do to the server's memory and to others."""

import asyncio

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.fetch import FetchableTopicResponse, FetchRequest, FetchResponse, PartitionData
from ottla.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from support.servers import handler_table, running_server

HEARTBEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")


def run(scenario) -> None:
    asyncio.run(asyncio.wait_for(scenario, 60))


def fetch_response(records) -> FetchResponse:
    return FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=[PartitionData(records=records)])])


def test_slow_reader_holds_one_unsent_response_whatever_it_has_asked_for():
    async def scenario():
        fetched = 0
        data = bytes(20_000_000)

        def fetch(_context, _request):
            nonlocal fetched
            fetched += 1
            return fetch_response(data)

        table = handler_table({ApiKey.FETCH: fetch, ApiKey.HEARTBEAT: lambda c, r: HeartbeatResponse()})
        async with running_server(table) as running:
            slow, other = running.connect(), running.connect()
            await slow.send(b"".join(slow.request(FetchRequest(), 4) for _ in range(10)))
            await running.until(lambda: fetched > 0)
            for _ in range(20):
                await other.ask(HEARTBEAT, 1)
            assert fetched == 1
            assert sum(channel.connection.unsent_bytes for channel in running.server.channels) < len(data) + 100
            for n in range(10):
                correlation_id, response = await slow.response()
                assert correlation_id == n
                assert len(response.responses[0].partitions[0].records) == len(data)
            assert fetched == 10

    run(scenario())


def test_greedy_reader_of_files_does_not_starve_small_requests(sendable_file):
    async def scenario():
        sendable = sendable_file(bytes(100_000_000))
        handlers = {
            ApiKey.FETCH: lambda c, r: fetch_response(sendable),
            ApiKey.HEARTBEAT: lambda c, r: HeartbeatResponse(),
        }
        async with running_server(handler_table(handlers)) as running:
            greedy, other = running.connect(), running.connect()
            await greedy.send(greedy.request(FetchRequest(), 4))
            whole = asyncio.create_task(greedy.receive(100_000_000))
            rounds = 0
            while not whole.done():
                await other.ask(HEARTBEAT, 1)
                rounds += 1
            assert rounds >= 5

    run(scenario())


def test_pipelining_client_does_not_starve_another_one():
    """Thousands of requests in one go are handled in portions, with others in between."""

    async def scenario():
        order: list[str] = []

        def handle(_context, request):
            order.append(request.member_id)
            return HeartbeatResponse()

        async with running_server(handler_table({ApiKey.HEARTBEAT: handle})) as running:
            busy, other = running.connect(), running.connect()
            request = HeartbeatRequest(group_id="g", generation_id=1, member_id="busy")
            count = 5000
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(busy.send(b"".join(busy.request(request, 1) for _ in range(count))))
                await running.until(lambda: bool(order))
                await other.ask(HeartbeatRequest(group_id="g", generation_id=1, member_id="other"), 1)
                assert len(order) < count
            for n in range(count):
                assert (await busy.response())[0] == n

    run(scenario())


def test_request_handled_early_in_a_large_frame_is_answered_in_order():
    """The second of two large Produce requests is received while the first one waits."""
    from ottla.protocol.messages.produce import (
        PartitionProduceData,
        ProduceRequest,
        ProduceResponse,
        TopicProduceData,
    )

    def produce(size: int) -> ProduceRequest:
        partition = PartitionProduceData(index=0, records=bytes(size))
        return ProduceRequest(acks=-1, topic_data=[TopicProduceData(name="t", partition_data=[partition])])

    async def scenario():
        waiting: list[asyncio.Future] = []

        def handle(_context, _request):
            waiting.append(asyncio.get_running_loop().create_future())
            return waiting[-1]

        table = handler_table({ApiKey.PRODUCE: handle, ApiKey.HEARTBEAT: lambda c, r: HeartbeatResponse()})
        async with running_server(table) as running:
            peer = running.connect()
            frames = [peer.request(produce(300_000), 9) for _ in range(7)] + [peer.request(HEARTBEAT, 1)]
            sending = asyncio.create_task(peer.send(b"".join(frames)))
            await running.until(lambda: len(waiting) == 5)
            waiting[1].set_result(ProduceResponse())
            waiting[0].set_result(ProduceResponse())
            await running.until(lambda: len(waiting) == 7)
            for future in waiting[2:]:
                future.set_result(ProduceResponse())
            await sending
            assert [(await peer.response())[0] for _ in range(8)] == list(range(8))
            assert running.server.admission.clients.queued_requests == 0

    run(scenario())
