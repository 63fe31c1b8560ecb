"""ListClientMetricsResources (key 74): the names of client metrics subscriptions. In Kafka 4 the same key, with the
same bytes in version 0, is ListConfigResources.
"""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, string


class ListClientMetricsResourcesRequest(Request, key=74, versions="0", flexible="0+"):
    pass


class ClientMetricsResource(Struct):
    name = string()


class ListClientMetricsResourcesResponse(Response, key=74, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    client_metrics_resources = array(ClientMetricsResource)
