"""IncrementalAlterConfigs (key 44): sets, deletes, appends to or subtracts from single configuration values
(KIP-339).
"""

from ottla.protocol import schema as s


class AlterableConfig(s.Struct):
    name = s.string()
    config_operation = s.int8()
    value = s.nullable_string()
class AlterConfigsResource(s.Struct):
    resource_type = s.int8()
    resource_name = s.string()
    configs = s.array(AlterableConfig)
class IncrementalAlterConfigsRequest(s.Request, key=44, versions="0-1", flexible="1+"):
    resources = s.array(AlterConfigsResource)
    validate_only = s.boolean()

class AlterConfigsResourceResponse(s.Struct):
    error_code = s.int16()
    error_message = s.nullable_string()
    resource_type = s.int8()
    resource_name = s.string()
class IncrementalAlterConfigsResponse(s.Response, key=44, versions="0-1", flexible="1+"):
    throttle_time_ms = s.int32()
    responses = s.array(AlterConfigsResourceResponse)
