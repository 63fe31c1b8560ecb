"""DescribeConfigs (key 32): the configuration of topics, brokers and other resources."""

from ottla.protocol import schema as s


class DescribeConfigsResource(s.Struct):
    resource_type = s.int8()
    resource_name = s.string()
    configuration_keys = s.nullable_array(s.string)
class DescribeConfigsRequest(s.Request, key=32, versions="0-4", flexible="4+"):
    resources = s.array(DescribeConfigsResource)
    include_synonyms = s.boolean("1+")
    include_documentation = s.boolean("3+")

class DescribeConfigsSynonym(s.Struct):
    name = s.string("1+")
    value = s.nullable_string("1+")
    source = s.int8("1+")
class DescribeConfigsResourceResult(s.Struct):
    name = s.string()
    value = s.nullable_string()
    read_only = s.boolean()
    is_default = s.boolean("0")
    config_source = s.int8("1+", default=-1)
    is_sensitive = s.boolean()
    synonyms = s.array(DescribeConfigsSynonym, "1+")
    config_type = s.int8("3+")
    documentation = s.nullable_string("3+")
class DescribeConfigsResult(s.Struct):
    error_code = s.int16()
    error_message = s.nullable_string()
    resource_type = s.int8()
    resource_name = s.string()
    configs = s.array(DescribeConfigsResourceResult)
class DescribeConfigsResponse(s.Response, key=32, versions="0-4", flexible="4+"):
    throttle_time_ms = s.int32()
    results = s.array(DescribeConfigsResult)
