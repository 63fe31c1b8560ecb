"""DescribeCluster (KIP-700): the cluster's id, its controller and its brokers, without any topics."""

from ottla.errors import KafkaError
from ottla.errors.kafka import MismatchedEndpointTypeError, UnsupportedEndpointTypeError
from ottla.handlers.authorized_operations import ALL_ON_CLUSTER, NOT_ASKED
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import HandlerTable
from ottla.metadata.cache import MetadataCache
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)

_BROKERS, _CONTROLLERS = 1, 2


class ClusterHandlers:
    def __init__(self, cache: MetadataCache) -> None:
        self._cache = cache

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.DESCRIBE_CLUSTER, self.handle_describe_cluster, 0, 2, describe_cluster_error)

    def handle_describe_cluster(
        self, context: RequestContext, request: DescribeClusterRequest
    ) -> DescribeClusterResponse:
        _check_endpoint_type(request.endpoint_type)
        image = self._cache.image
        return DescribeClusterResponse(
            cluster_id=image.cluster_id or "",
            controller_id=image.controller_id,
            brokers=[
                DescribeClusterBroker(broker_id=broker.broker_id, host=at.host, port=at.port, rack=broker.rack)
                for broker, at in image.brokers_on(context.listener_name)
            ],
            cluster_authorized_operations=(
                ALL_ON_CLUSTER if request.include_cluster_authorized_operations else NOT_ASKED
            ),
        )


def _check_endpoint_type(endpoint_type: int) -> None:
    if endpoint_type == _CONTROLLERS:
        raise MismatchedEndpointTypeError(
            "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type CONTROLLER"
        )
    if endpoint_type != _BROKERS:
        raise UnsupportedEndpointTypeError(f"Unsupported endpoint type {endpoint_type}")


def describe_cluster_error(request: DescribeClusterRequest, version: int, error: KafkaError) -> DescribeClusterResponse:
    return DescribeClusterResponse(error_code=error.code, error_message=str(error) or None)
