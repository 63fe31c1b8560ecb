"""AlterConfigs (key 33): replaces the whole configuration of resources; IncrementalAlterConfigs took its place
(KIP-339).
"""

from ottla.protocol import schema as s


class AlterableConfig(s.Struct):
    name = s.string()
    value = s.nullable_string()
class AlterConfigsResource(s.Struct):
    resource_type = s.int8()
    resource_name = s.string()
    configs = s.array(AlterableConfig)
class AlterConfigsRequest(s.Request, key=33, versions="0-2", flexible="2+"):
    resources = s.array(AlterConfigsResource)
    validate_only = s.boolean()

class AlterConfigsResourceResponse(s.Struct):
    error_code = s.int16()
    error_message = s.nullable_string()
    resource_type = s.int8()
    resource_name = s.string()
class AlterConfigsResponse(s.Response, key=33, versions="0-2", flexible="2+"):
    throttle_time_ms = s.int32()
    responses = s.array(AlterConfigsResourceResponse)
