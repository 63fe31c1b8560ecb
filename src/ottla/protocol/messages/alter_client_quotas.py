"""AlterClientQuotas (key 49): sets and removes client quotas (KIP-546)."""

from ottla.protocol import schema as s


class EntityData(s.Struct):
    entity_type = s.string()
    entity_name = s.nullable_string()
class OpData(s.Struct):
    key = s.string()
    value = s.float64()
    remove = s.boolean()
class RequestEntryData(s.Struct):
    entity = s.array(EntityData)
    ops = s.array(OpData)
class AlterClientQuotasRequest(s.Request, key=49, versions="0-1", flexible="1+"):
    entries = s.array(RequestEntryData)
    validate_only = s.boolean()

class ResponseEntryData(s.Struct):
    error_code = s.int16()
    error_message = s.nullable_string()
    entity = s.array(EntityData)
class AlterClientQuotasResponse(s.Response, key=49, versions="0-1", flexible="1+"):
    throttle_time_ms = s.int32()
    entries = s.array(ResponseEntryData)
