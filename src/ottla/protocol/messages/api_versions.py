"""ApiVersions (key 18): what a broker can do, asked first on every connection. The response has header version 0
always, so that a client can read it before it knows what the broker speaks (KIP-511).
"""

from ottla.protocol.schema import Request, Response, Struct, array, boolean, int16, int32, int64, string


class ApiVersionsRequest(Request, key=18, versions="0-4", flexible="3+"):
    client_software_name = string("3+")
    client_software_version = string("3+")


class ApiVersion(Struct):
    api_key = int16()
    min_version = int16()
    max_version = int16()


class SupportedFeatureKey(Struct):
    name = string("3+")
    min_version = int16("3+")
    max_version = int16("3+")


class FinalizedFeatureKey(Struct):
    name = string("3+")
    max_version_level = int16("3+")
    min_version_level = int16("3+")


class ApiVersionsResponse(Response, key=18, versions="0-4", flexible="3+"):
    error_code = int16()
    api_keys = array(ApiVersion)
    throttle_time_ms = int32("1+")
    supported_features = array(SupportedFeatureKey, "3+", tag=0)
    finalized_features_epoch = int64("3+", default=-1, tag=1)
    finalized_features = array(FinalizedFeatureKey, "3+", tag=2)
    zk_migration_ready = boolean("3+", tag=3)
