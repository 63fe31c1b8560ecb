"""ApiVersions (key 18): what a broker can do, asked first on every connection. The response has header version 0
always, so that a client can read it before it knows what the broker speaks (KIP-511).
"""

from ottla.protocol import schema as s


class ApiVersionsRequest(s.Request, key=18, versions="0-4", flexible="3+"):
    client_software_name = s.string("3+")
    client_software_version = s.string("3+")

class ApiVersion(s.Struct):
    api_key = s.int16()
    min_version = s.int16()
    max_version = s.int16()
class SupportedFeatureKey(s.Struct):
    name = s.string("3+")
    min_version = s.int16("3+")
    max_version = s.int16("3+")
class FinalizedFeatureKey(s.Struct):
    name = s.string("3+")
    max_version_level = s.int16("3+")
    min_version_level = s.int16("3+")
class ApiVersionsResponse(s.Response, key=18, versions="0-4", flexible="3+"):
    error_code = s.int16()
    api_keys = s.array(ApiVersion)
    throttle_time_ms = s.int32("1+")
    supported_features = s.array(SupportedFeatureKey, "3+", tag=0)
    finalized_features_epoch = s.int64("3+", default=-1, tag=1)
    finalized_features = s.array(FinalizedFeatureKey, "3+", tag=2)
    zk_migration_ready = s.boolean("3+", tag=3)
