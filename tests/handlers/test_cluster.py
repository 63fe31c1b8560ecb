import pytest

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.describe_cluster import DescribeClusterRequest
from support.admin_broker import admin_broker
from support.coroutines import on_event_loop


@pytest.mark.parametrize("version", range(3))
@on_event_loop
async def test_cluster_is_described(version: int) -> None:
    async with admin_broker(brokers=(0, 1)) as broker:
        request = DescribeClusterRequest(include_cluster_authorized_operations=True)
        response = await broker.call(ApiKey.DESCRIBE_CLUSTER, version, request)
        assert (response.error_code, response.error_message) == (0, None)
        assert (response.cluster_id, response.controller_id) == ("thZDzCkNTueY2KLrT0plMg", 0)
        assert [(b.broker_id, b.host, b.port) for b in response.brokers] == [(0, "host0", 9092), (1, "host1", 9092)]
        assert response.cluster_authorized_operations == 8096


@pytest.mark.parametrize(
    ("endpoint_type", "code", "message"),
    [
        (2, 114, "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type CONTROLLER"),
        (7, 115, "Unsupported endpoint type 7"),
    ],
)
@on_event_loop
async def test_other_endpoints_are_refused(endpoint_type: int, code: int, message: str) -> None:
    async with admin_broker() as broker:
        request = DescribeClusterRequest(endpoint_type=endpoint_type)
        response = await broker.call(ApiKey.DESCRIBE_CLUSTER, 1, request)
        assert (response.error_code, response.error_message) == (code, message)
        assert response.brokers == []
