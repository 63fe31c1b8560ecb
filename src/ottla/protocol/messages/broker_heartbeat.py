"""BrokerHeartbeat (key 63): a broker tells a KRaft controller that it is alive; log directories can be cordoned from
version 2 on.
"""

from ottla.protocol.schema import Request, Response, array, boolean, int16, int32, int64, nullable_array, uuid_


class BrokerHeartbeatRequest(Request, key=63, versions="0-2", flexible="0+"):
    broker_id = int32()
    broker_epoch = int64(default=-1)
    current_metadata_offset = int64()
    want_fence = boolean()
    want_shut_down = boolean()
    offline_log_dirs = array(uuid_, "1+", tag=0)
    cordoned_log_dirs = nullable_array(uuid_, "2+", default=None, tag=1)


class BrokerHeartbeatResponse(Response, key=63, versions="0-2", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    is_caught_up = boolean()
    is_fenced = boolean(default=True)
    should_shut_down = boolean()
