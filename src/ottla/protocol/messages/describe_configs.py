"""DescribeConfigs (key 32): the configuration of topics, brokers and other resources."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    boolean,
    int8,
    int16,
    int32,
    nullable_array,
    nullable_string,
    string,
)


class DescribeConfigsResource(Struct):
    resource_type = int8()
    resource_name = string()
    configuration_keys = nullable_array(string)


class DescribeConfigsRequest(Request, key=32, versions="0-4", flexible="4+"):
    resources = array(DescribeConfigsResource)
    include_synonyms = boolean("1+")
    include_documentation = boolean("3+")


class DescribeConfigsSynonym(Struct):
    name = string("1+")
    value = nullable_string("1+")
    source = int8("1+")


class DescribeConfigsResourceResult(Struct):
    name = string()
    value = nullable_string()
    read_only = boolean()
    is_default = boolean("0")
    config_source = int8("1+", default=-1)
    is_sensitive = boolean()
    synonyms = array(DescribeConfigsSynonym, "1+")
    config_type = int8("3+")
    documentation = nullable_string("3+")


class DescribeConfigsResult(Struct):
    error_code = int16()
    error_message = nullable_string()
    resource_type = int8()
    resource_name = string()
    configs = array(DescribeConfigsResourceResult)


class DescribeConfigsResponse(Response, key=32, versions="0-4", flexible="4+"):
    throttle_time_ms = int32()
    results = array(DescribeConfigsResult)
