"""DescribeCluster (key 60): the brokers, the cluster id and the controller (KIP-700)."""

from ottla.protocol import schema as s


class DescribeClusterRequest(s.Request, key=60, versions="0-2", flexible="0+"):
    include_cluster_authorized_operations = s.boolean()
    endpoint_type = s.int8("1+", default=1)
    include_fenced_brokers = s.boolean("2+")

class DescribeClusterBroker(s.Struct):
    broker_id = s.int32()
    host = s.string()
    port = s.int32()
    rack = s.nullable_string(default=None)
    is_fenced = s.boolean("2+")
class DescribeClusterResponse(s.Response, key=60, versions="0-2", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    endpoint_type = s.int8("1+", default=1)
    cluster_id = s.string()
    controller_id = s.int32(default=-1)
    brokers = s.array(DescribeClusterBroker)
    cluster_authorized_operations = s.int32(default=-0x80000000)
