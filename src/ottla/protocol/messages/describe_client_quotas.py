"""DescribeClientQuotas (key 48): lists client quotas (KIP-546)."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    boolean,
    float64,
    int8,
    int16,
    int32,
    nullable_array,
    nullable_string,
    string,
)


class ComponentData(Struct):
    entity_type = string()
    match_type = int8()
    match = nullable_string()


class DescribeClientQuotasRequest(Request, key=48, versions="0-1", flexible="1+"):
    components = array(ComponentData)
    strict = boolean()


class EntityData(Struct):
    entity_type = string()
    entity_name = nullable_string()


class ValueData(Struct):
    key = string()
    value = float64()


class EntryData(Struct):
    entity = array(EntityData)
    values = array(ValueData)


class DescribeClientQuotasResponse(Response, key=48, versions="0-1", flexible="1+"):
    throttle_time_ms = int32()
    error_code = int16()
    error_message = nullable_string()
    entries = nullable_array(EntryData)
