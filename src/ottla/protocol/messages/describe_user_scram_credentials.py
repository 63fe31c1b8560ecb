"""DescribeUserScramCredentials (key 50): which users have SCRAM credentials (KIP-554)."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    int8,
    int16,
    int32,
    nullable_array,
    nullable_string,
    string,
)


class UserName(Struct):
    name = string()


class DescribeUserScramCredentialsRequest(Request, key=50, versions="0", flexible="0+"):
    users = nullable_array(UserName)


class CredentialInfo(Struct):
    mechanism = int8()
    iterations = int32()


class DescribeUserScramCredentialsResult(Struct):
    user = string()
    error_code = int16()
    error_message = nullable_string()
    credential_infos = array(CredentialInfo)


class DescribeUserScramCredentialsResponse(Response, key=50, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    error_message = nullable_string()
    results = array(DescribeUserScramCredentialsResult)
