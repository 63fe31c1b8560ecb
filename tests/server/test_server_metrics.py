"""What connections are counted by: names that clients give themselves are labels only as far as that is bounded."""

import asyncio

import pytest

from ottla.handlers.context import SOFTWARE_LENGTH_MAX
from ottla.protocol.messages.api_versions import ApiVersionsRequest
from ottla.server import server_metrics
from support.servers import RunningServer, running_server

NAME = "kafka_server_socketservermetrics_connections"


def softwares(running: RunningServer) -> dict[str, int]:
    """How many connections are told for each name of a client's library."""
    lines = b"".join(running.metrics.render()).decode().splitlines()
    shown = [line for line in lines if line.startswith(NAME + "{")]
    return {line.split('clientSoftwareName="')[1].split('"')[0]: int(float(line.split()[-1])) for line in shown}


async def connect(running: RunningServer, name: str) -> None:
    request = ApiVersionsRequest(client_software_name=name, client_software_version="1")
    assert (await running.connect().ask(request, 3)).error_code == 0


def test_names_of_few_connections_become_one_label_where_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_metrics, "SOFTWARES_MAX", 2)

    async def scenario() -> None:
        async with running_server() as running:
            for name in ("a", "a", "b", "b", "b", "c", "d"):
                await connect(running, name)
            assert softwares(running) == {"a": 2, "b": 3, "other": 2}

    asyncio.run(asyncio.wait_for(scenario(), 60))


def test_name_that_is_too_long_for_one_is_not_kept() -> None:
    async def scenario() -> None:
        async with running_server() as running:
            await connect(running, "n" * SOFTWARE_LENGTH_MAX)
            await connect(running, "n" * (SOFTWARE_LENGTH_MAX + 1))
            assert softwares(running) == {"n" * SOFTWARE_LENGTH_MAX: 1, "unknown": 1}

    asyncio.run(asyncio.wait_for(scenario(), 60))
