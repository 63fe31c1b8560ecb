"""IncrementalAlterConfigs (key 44): sets, deletes, appends to or subtracts from single configuration values
(KIP-339).
"""

from ottla.protocol.schema import Request, Response, Struct, array, boolean, int8, int16, int32, nullable_string, string


class AlterableConfig(Struct):
    name = string()
    config_operation = int8()
    value = nullable_string()


class AlterConfigsResource(Struct):
    resource_type = int8()
    resource_name = string()
    configs = array(AlterableConfig)


class IncrementalAlterConfigsRequest(Request, key=44, versions="0-1", flexible="1+"):
    resources = array(AlterConfigsResource)
    validate_only = boolean()


class AlterConfigsResourceResponse(Struct):
    error_code = int16()
    error_message = nullable_string()
    resource_type = int8()
    resource_name = string()


class IncrementalAlterConfigsResponse(Response, key=44, versions="0-1", flexible="1+"):
    throttle_time_ms = int32()
    responses = array(AlterConfigsResourceResponse)
