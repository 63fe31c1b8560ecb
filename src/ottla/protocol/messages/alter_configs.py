"""AlterConfigs (key 33): replaces the whole configuration of resources; IncrementalAlterConfigs took its place
(KIP-339).
"""

from ottla.protocol.schema import Request, Response, Struct, array, boolean, int8, int16, int32, nullable_string, string


class AlterableConfig(Struct):
    name = string()
    value = nullable_string()


class AlterConfigsResource(Struct):
    resource_type = int8()
    resource_name = string()
    configs = array(AlterableConfig)


class AlterConfigsRequest(Request, key=33, versions="0-2", flexible="2+"):
    resources = array(AlterConfigsResource)
    validate_only = boolean()


class AlterConfigsResourceResponse(Struct):
    error_code = int16()
    error_message = nullable_string()
    resource_type = int8()
    resource_name = string()


class AlterConfigsResponse(Response, key=33, versions="0-2", flexible="2+"):
    throttle_time_ms = int32()
    responses = array(AlterConfigsResourceResponse)
