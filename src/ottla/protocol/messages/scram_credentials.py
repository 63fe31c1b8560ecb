"""SCRAM credentials (KIP-554): describe and alter."""

from ottla.protocol import schema as s


# DescribeUserScramCredentials (key 50): which users have SCRAM credentials (KIP-554).
class UserName(s.Struct):
    name = s.string()
class DescribeUserScramCredentialsRequest(s.Request, key=50, versions="0", flexible="0+"):
    users = s.nullable_array(UserName)

class CredentialInfo(s.Struct):
    mechanism = s.int8()
    iterations = s.int32()
class DescribeUserScramCredentialsResult(s.Struct):
    user = s.string()
    error_code = s.int16()
    error_message = s.nullable_string()
    credential_infos = s.array(CredentialInfo)
class DescribeUserScramCredentialsResponse(s.Response, key=50, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string()
    results = s.array(DescribeUserScramCredentialsResult)

# AlterUserScramCredentials (key 51): sets and deletes SCRAM credentials (KIP-554).
class ScramCredentialDeletion(s.Struct):
    name = s.string()
    mechanism = s.int8()
class ScramCredentialUpsertion(s.Struct):
    name = s.string()
    mechanism = s.int8()
    iterations = s.int32()
    salt = s.bytes_()
    salted_password = s.bytes_()
class AlterUserScramCredentialsRequest(s.Request, key=51, versions="0", flexible="0+"):
    deletions = s.array(ScramCredentialDeletion)
    upsertions = s.array(ScramCredentialUpsertion)

class AlterUserScramCredentialsResult(s.Struct):
    user = s.string()
    error_code = s.int16()
    error_message = s.nullable_string()
class AlterUserScramCredentialsResponse(s.Response, key=51, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    results = s.array(AlterUserScramCredentialsResult)
