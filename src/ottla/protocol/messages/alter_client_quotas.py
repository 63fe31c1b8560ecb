"""AlterClientQuotas (key 49): sets and removes client quotas (KIP-546)."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    boolean,
    float64,
    int16,
    int32,
    nullable_string,
    string,
)


class EntityData(Struct):
    entity_type = string()
    entity_name = nullable_string()


class OpData(Struct):
    key = string()
    value = float64()
    remove = boolean()


class RequestEntryData(Struct):
    entity = array(EntityData)
    ops = array(OpData)


class AlterClientQuotasRequest(Request, key=49, versions="0-1", flexible="1+"):
    entries = array(RequestEntryData)
    validate_only = boolean()


class ResponseEntryData(Struct):
    error_code = int16()
    error_message = nullable_string()
    entity = array(EntityData)


class AlterClientQuotasResponse(Response, key=49, versions="0-1", flexible="1+"):
    throttle_time_ms = int32()
    entries = array(ResponseEntryData)
