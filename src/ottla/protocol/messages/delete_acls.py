"""DeleteAcls (key 31): deletes the access control entries that filters match."""

from ottla.protocol.schema import Request, Response, Struct, array, int8, int16, int32, nullable_string, string


class DeleteAclsFilter(Struct):
    resource_type_filter = int8()
    resource_name_filter = nullable_string()
    pattern_type_filter = int8("1+", default=3)
    principal_filter = nullable_string()
    host_filter = nullable_string()
    operation = int8()
    permission_type = int8()


class DeleteAclsRequest(Request, key=31, versions="0-3", flexible="2+"):
    filters = array(DeleteAclsFilter)


class DeleteAclsMatchingAcl(Struct):
    error_code = int16()
    error_message = nullable_string()
    resource_type = int8()
    resource_name = string()
    pattern_type = int8("1+", default=3)
    principal = string()
    host = string()
    operation = int8()
    permission_type = int8()


class DeleteAclsFilterResult(Struct):
    error_code = int16()
    error_message = nullable_string()
    matching_acls = array(DeleteAclsMatchingAcl)


class DeleteAclsResponse(Response, key=31, versions="0-3", flexible="2+"):
    throttle_time_ms = int32()
    filter_results = array(DeleteAclsFilterResult)
