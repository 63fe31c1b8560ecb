"""ListConfigResources (key 74): the names of configuration resources (KIP-1142); version 0 is what Kafka 3.9 calls
ListClientMetricsResources.
"""

from ottla.protocol.schema import Request, Response, Struct, array, int8, int16, int32, string


class ListConfigResourcesRequest(Request, key=74, versions="0-1", flexible="0+"):
    resource_types = array(int8, "1+")


class ConfigResource(Struct):
    resource_name = string()
    resource_type = int8("1+", default=16)


class ListConfigResourcesResponse(Response, key=74, versions="0-1", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    config_resources = array(ConfigResource)
