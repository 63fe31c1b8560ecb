"""UpdateFeatures (key 57): sets the finalized levels of features (KIP-584)."""

from ottla.protocol.schema import Request, Response, Struct, array, boolean, int8, int16, int32, nullable_string, string


class FeatureUpdateKey(Struct):
    feature = string()
    max_version_level = int16()
    allow_downgrade = boolean("0")
    upgrade_type = int8("1+", default=1)


class UpdateFeaturesRequest(Request, key=57, versions="0-2", flexible="0+"):
    timeout_ms = int32(default=60000)
    feature_updates = array(FeatureUpdateKey)
    validate_only = boolean("1+")


class UpdatableFeatureResult(Struct):
    feature = string()
    error_code = int16()
    error_message = nullable_string()


class UpdateFeaturesResponse(Response, key=57, versions="0-2", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    error_message = nullable_string()
    results = array(UpdatableFeatureResult, "0-1")
