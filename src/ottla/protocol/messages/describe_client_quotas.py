"""DescribeClientQuotas (key 48): lists client quotas (KIP-546)."""

from ottla.protocol import schema as s


class ComponentData(s.Struct):
    entity_type = s.string()
    match_type = s.int8()
    match = s.nullable_string()
class DescribeClientQuotasRequest(s.Request, key=48, versions="0-1", flexible="1+"):
    components = s.array(ComponentData)
    strict = s.boolean()

class EntityData(s.Struct):
    entity_type = s.string()
    entity_name = s.nullable_string()
class ValueData(s.Struct):
    key = s.string()
    value = s.float64()
class EntryData(s.Struct):
    entity = s.array(EntityData)
    values = s.array(ValueData)
class DescribeClientQuotasResponse(s.Response, key=48, versions="0-1", flexible="1+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string()
    entries = s.nullable_array(EntryData)
