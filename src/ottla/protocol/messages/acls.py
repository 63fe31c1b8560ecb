"""ACLs: describe, create, delete."""

from ottla.protocol import schema as s


# DescribeAcls (key 29): lists access control entries.
class DescribeAclsRequest(s.Request, key=29, versions="0-3", flexible="2+"):
    resource_type_filter = s.int8()
    resource_name_filter = s.nullable_string()
    pattern_type_filter = s.int8("1+", default=3)
    principal_filter = s.nullable_string()
    host_filter = s.nullable_string()
    operation = s.int8()
    permission_type = s.int8()

class AclDescription(s.Struct):
    principal = s.string()
    host = s.string()
    operation = s.int8()
    permission_type = s.int8()
class DescribeAclsResource(s.Struct):
    resource_type = s.int8()
    resource_name = s.string()
    pattern_type = s.int8("1+", default=3)
    acls = s.array(AclDescription)
class DescribeAclsResponse(s.Response, key=29, versions="0-3", flexible="2+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string()
    resources = s.array(DescribeAclsResource)

# CreateAcls (key 30): creates access control entries.
class AclCreation(s.Struct):
    resource_type = s.int8()
    resource_name = s.string()
    resource_pattern_type = s.int8("1+", default=3)
    principal = s.string()
    host = s.string()
    operation = s.int8()
    permission_type = s.int8()
class CreateAclsRequest(s.Request, key=30, versions="0-3", flexible="2+"):
    creations = s.array(AclCreation)

class AclCreationResult(s.Struct):
    error_code = s.int16()
    error_message = s.nullable_string()
class CreateAclsResponse(s.Response, key=30, versions="0-3", flexible="2+"):
    throttle_time_ms = s.int32()
    results = s.array(AclCreationResult)

# DeleteAcls (key 31): deletes the access control entries that filters match.
class DeleteAclsFilter(s.Struct):
    resource_type_filter = s.int8()
    resource_name_filter = s.nullable_string()
    pattern_type_filter = s.int8("1+", default=3)
    principal_filter = s.nullable_string()
    host_filter = s.nullable_string()
    operation = s.int8()
    permission_type = s.int8()
class DeleteAclsRequest(s.Request, key=31, versions="0-3", flexible="2+"):
    filters = s.array(DeleteAclsFilter)

class DeleteAclsMatchingAcl(s.Struct):
    error_code = s.int16()
    error_message = s.nullable_string()
    resource_type = s.int8()
    resource_name = s.string()
    pattern_type = s.int8("1+", default=3)
    principal = s.string()
    host = s.string()
    operation = s.int8()
    permission_type = s.int8()
class DeleteAclsFilterResult(s.Struct):
    error_code = s.int16()
    error_message = s.nullable_string()
    matching_acls = s.array(DeleteAclsMatchingAcl)
class DeleteAclsResponse(s.Response, key=31, versions="0-3", flexible="2+"):
    throttle_time_ms = s.int32()
    filter_results = s.array(DeleteAclsFilterResult)
