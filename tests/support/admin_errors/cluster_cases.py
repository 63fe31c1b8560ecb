"""DescribeCluster, FindCoordinator and ElectLeaders."""

from ottla.protocol.messages.describe_cluster import DescribeClusterRequest
from ottla.protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from ottla.protocol.messages.find_coordinator import FindCoordinatorRequest
from support.admin_errors.case import Case

GROUP, TRANSACTION, SHARE, NO_SUCH_TYPE = 0, 1, 2, 9
BROKERS, CONTROLLERS = 1, 2


def elect(topic: str, partition: int, election_type: int = 0) -> ElectLeadersRequest:
    wanted = [TopicPartitions(topic=topic, partitions=[partition])]
    return ElectLeadersRequest(election_type=election_type, topic_partitions=wanted, timeout_ms=10_000)


CLUSTER_CASES = [
    Case("cluster: brokers", 1, DescribeClusterRequest(endpoint_type=BROKERS)),
    Case("cluster: version 0", 0, DescribeClusterRequest()),
    Case("cluster: controllers", 1, DescribeClusterRequest(endpoint_type=CONTROLLERS)),
    Case("cluster: no such endpoints", 1, DescribeClusterRequest(endpoint_type=9)),
    Case("cluster: operations", 0, DescribeClusterRequest(include_cluster_authorized_operations=True)),
    Case("coordinator: of a group", 2, FindCoordinatorRequest(key="idle", key_type=GROUP)),
    Case("coordinator: of a group, version 0", 0, FindCoordinatorRequest(key="idle")),
    Case("coordinator: of several groups", 4, FindCoordinatorRequest(coordinator_keys=["idle", "busy"])),
    Case("coordinator: of no groups", 4, FindCoordinatorRequest(coordinator_keys=[])),
    Case("coordinator: of a group without a name", 4, FindCoordinatorRequest(coordinator_keys=[""])),
    Case("coordinator: of a group without a name, version 2", 2, FindCoordinatorRequest(key="")),
    Case("coordinator: no such type", 2, FindCoordinatorRequest(key="idle", key_type=NO_SUCH_TYPE)),
    Case(
        "coordinator: no such type, batched", 4, FindCoordinatorRequest(coordinator_keys=["a"], key_type=NO_SUCH_TYPE)
    ),
    Case("coordinator: of a share group", 5, FindCoordinatorRequest(coordinator_keys=["a"], key_type=SHARE)),
    Case("elect: is preferred already", 2, elect("t", 0)),
    Case("elect: unknown topic", 2, elect("unknown", 0)),
    Case("elect: unknown partition", 2, elect("t", 9)),
    Case("elect: unclean, not needed", 2, elect("t", 0, 1)),
    Case("elect: all", 2, ElectLeadersRequest(topic_partitions=None, timeout_ms=10_000)),
]
