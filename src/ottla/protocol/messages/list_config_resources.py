"""ListConfigResources (key 74): the names of configuration resources (KIP-1142); version 0 is what Kafka 3.9 calls
ListClientMetricsResources.
"""

from ottla.protocol import schema as s


class ListConfigResourcesRequest(s.Request, key=74, versions="0-1", flexible="0+"):
    resource_types = s.array(s.int8, "1+")

class ConfigResource(s.Struct):
    resource_name = s.string()
    resource_type = s.int8("1+", default=16)
class ListConfigResourcesResponse(s.Response, key=74, versions="0-1", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    config_resources = s.array(ConfigResource)
