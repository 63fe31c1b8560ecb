"""ListClientMetricsResources (key 74): the names of client metrics subscriptions. In Kafka 4 the same key, with the
same bytes in version 0, is ListConfigResources.
"""

from ottla.protocol import schema as s


class ListClientMetricsResourcesRequest(s.Request, key=74, versions="0", flexible="0+"):
    pass

class ClientMetricsResource(s.Struct):
    name = s.string()
class ListClientMetricsResourcesResponse(s.Response, key=74, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    client_metrics_resources = s.array(ClientMetricsResource)
