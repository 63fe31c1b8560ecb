"""UpdateFeatures (key 57): sets the finalized levels of features (KIP-584)."""

from ottla.protocol import schema as s


class FeatureUpdateKey(s.Struct):
    feature = s.string()
    max_version_level = s.int16()
    allow_downgrade = s.boolean("0")
    upgrade_type = s.int8("1+", default=1)
class UpdateFeaturesRequest(s.Request, key=57, versions="0-2", flexible="0+"):
    timeout_ms = s.int32(default=60000)
    feature_updates = s.array(FeatureUpdateKey)
    validate_only = s.boolean("1+")

class UpdatableFeatureResult(s.Struct):
    feature = s.string()
    error_code = s.int16()
    error_message = s.nullable_string()
class UpdateFeaturesResponse(s.Response, key=57, versions="0-2", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string()
    results = s.array(UpdatableFeatureResult, "0-1")
