"""Every API of Kafka 3.9 and 4.x: its versions, from which version on it is flexible, and its message classes.

What Ottla *knows* is here; what it *serves* is in the server's handler table, and only that is advertised. The table
repeats what the message classes say, so that nothing needs to be imported to route a request; a test compares the two.

Header versions (KIP-482): a request has header version 2 when its version is flexible, else 1, and ControlledShutdown
version 0 has 0; a response has 1 when flexible, else 0, and ApiVersions has 0 always.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

from ottla.errors import DecodeError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.message import Request, Response

NEVER = 0x7FFF
"""First flexible version of an API that never became flexible."""


class ApiInfo:
    """One API. Its message classes are imported on first use, from the module of its own name where none is given."""

    __slots__ = ("api_key", "first_flexible", "module", "name", "versions")

    def __init__(
        self, api_key: int, name: str, versions: tuple[int, int], first_flexible: int, module: str | None = None
    ) -> None:
        self.api_key = ApiKey(api_key)
        self.name = name
        self.versions = versions
        self.first_flexible = first_flexible
        self.module = module

    def request_class(self) -> type[Request]:
        request_class: type[Request] = _message_class(self.module, self.name, "Request")
        return request_class

    def response_class(self) -> type[Response]:
        response_class: type[Response] = _message_class(self.module, self.name, "Response")
        return response_class

    def request_header_version(self, version: int) -> int:
        if version >= self.first_flexible:
            return 2
        return 0 if self.api_key == ApiKey.CONTROLLED_SHUTDOWN and version == 0 else 1

    def response_header_version(self, version: int) -> int:
        return int(version >= self.first_flexible and self.api_key != ApiKey.API_VERSIONS)

    def __repr__(self) -> str:
        return f"ApiInfo({self.name} {self.versions[0]}-{self.versions[1]})"


@cache
def _message_class(module: str | None, api_name: str, suffix: str) -> Any:
    module = module or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", api_name).lower()
    return getattr(import_module(f"ottla.protocol.messages.{module}"), api_name + suffix)


_TABLE = (
    ApiInfo(0, "Produce", (0, 13), 9),
    ApiInfo(1, "Fetch", (0, 18), 12),
    ApiInfo(2, "ListOffsets", (0, 11), 6),
    ApiInfo(3, "Metadata", (0, 13), 9),
    ApiInfo(4, "LeaderAndIsr", (0, 7), 4),
    ApiInfo(5, "StopReplica", (0, 4), 2),
    ApiInfo(6, "UpdateMetadata", (0, 8), 6),
    ApiInfo(7, "ControlledShutdown", (0, 3), 3),
    ApiInfo(8, "OffsetCommit", (0, 10), 8),
    ApiInfo(9, "OffsetFetch", (0, 10), 6),
    ApiInfo(10, "FindCoordinator", (0, 6), 3),
    ApiInfo(11, "JoinGroup", (0, 9), 6),
    ApiInfo(12, "Heartbeat", (0, 4), 4),
    ApiInfo(13, "LeaveGroup", (0, 5), 4),
    ApiInfo(14, "SyncGroup", (0, 5), 4),
    ApiInfo(15, "DescribeGroups", (0, 6), 5),
    ApiInfo(16, "ListGroups", (0, 5), 3),
    ApiInfo(17, "SaslHandshake", (0, 1), NEVER),
    ApiInfo(18, "ApiVersions", (0, 4), 3),
    ApiInfo(19, "CreateTopics", (0, 7), 5),
    ApiInfo(20, "DeleteTopics", (0, 6), 4),
    ApiInfo(21, "DeleteRecords", (0, 2), 2),
    ApiInfo(22, "InitProducerId", (0, 6), 2),
    ApiInfo(23, "OffsetForLeaderEpoch", (0, 4), 4),
    ApiInfo(24, "AddPartitionsToTxn", (0, 5), 3, "transactions"),
    ApiInfo(25, "AddOffsetsToTxn", (0, 4), 3, "transactions"),
    ApiInfo(26, "EndTxn", (0, 5), 3, "transactions"),
    ApiInfo(27, "WriteTxnMarkers", (0, 2), 1, "transactions"),
    ApiInfo(28, "TxnOffsetCommit", (0, 5), 3, "transactions"),
    ApiInfo(29, "DescribeAcls", (0, 3), 2, "acls"),
    ApiInfo(30, "CreateAcls", (0, 3), 2, "acls"),
    ApiInfo(31, "DeleteAcls", (0, 3), 2, "acls"),
    ApiInfo(32, "DescribeConfigs", (0, 4), 4),
    ApiInfo(33, "AlterConfigs", (0, 2), 2),
    ApiInfo(34, "AlterReplicaLogDirs", (0, 2), 2),
    ApiInfo(35, "DescribeLogDirs", (0, 5), 2),
    ApiInfo(36, "SaslAuthenticate", (0, 2), 2),
    ApiInfo(37, "CreatePartitions", (0, 3), 2),
    ApiInfo(38, "CreateDelegationToken", (0, 3), 2, "delegation_tokens"),
    ApiInfo(39, "RenewDelegationToken", (0, 2), 2, "delegation_tokens"),
    ApiInfo(40, "ExpireDelegationToken", (0, 2), 2, "delegation_tokens"),
    ApiInfo(41, "DescribeDelegationToken", (0, 3), 2, "delegation_tokens"),
    ApiInfo(42, "DeleteGroups", (0, 2), 2),
    ApiInfo(43, "ElectLeaders", (0, 2), 2),
    ApiInfo(44, "IncrementalAlterConfigs", (0, 1), 1),
    ApiInfo(45, "AlterPartitionReassignments", (0, 1), 0),
    ApiInfo(46, "ListPartitionReassignments", (0, 0), 0),
    ApiInfo(47, "OffsetDelete", (0, 0), NEVER),
    ApiInfo(48, "DescribeClientQuotas", (0, 1), 1),
    ApiInfo(49, "AlterClientQuotas", (0, 1), 1),
    ApiInfo(50, "DescribeUserScramCredentials", (0, 0), 0, "scram_credentials"),
    ApiInfo(51, "AlterUserScramCredentials", (0, 0), 0, "scram_credentials"),
    ApiInfo(52, "Vote", (0, 2), 0, "kraft"),
    ApiInfo(53, "BeginQuorumEpoch", (0, 1), 1, "kraft"),
    ApiInfo(54, "EndQuorumEpoch", (0, 1), 1, "kraft"),
    ApiInfo(55, "DescribeQuorum", (0, 2), 0, "kraft"),
    ApiInfo(56, "AlterPartition", (0, 3), 0),
    ApiInfo(57, "UpdateFeatures", (0, 2), 0),
    ApiInfo(58, "Envelope", (0, 0), 0, "kraft"),
    ApiInfo(59, "FetchSnapshot", (0, 1), 0, "kraft"),
    ApiInfo(60, "DescribeCluster", (0, 2), 0),
    ApiInfo(61, "DescribeProducers", (0, 0), 0),
    ApiInfo(62, "BrokerRegistration", (0, 4), 0, "kraft"),
    ApiInfo(63, "BrokerHeartbeat", (0, 2), 0, "kraft"),
    ApiInfo(64, "UnregisterBroker", (0, 0), 0, "kraft"),
    ApiInfo(65, "DescribeTransactions", (0, 0), 0, "transactions"),
    ApiInfo(66, "ListTransactions", (0, 2), 0, "transactions"),
    ApiInfo(67, "AllocateProducerIds", (0, 0), 0, "kraft"),
    ApiInfo(68, "ConsumerGroupHeartbeat", (0, 1), 0),
    ApiInfo(69, "ConsumerGroupDescribe", (0, 1), 0),
    ApiInfo(70, "ControllerRegistration", (0, 0), 0, "kraft"),
    ApiInfo(71, "GetTelemetrySubscriptions", (0, 0), 0, "telemetry"),
    ApiInfo(72, "PushTelemetry", (0, 0), 0, "telemetry"),
    ApiInfo(73, "AssignReplicasToDirs", (0, 0), 0, "kraft"),
    ApiInfo(74, "ListConfigResources", (0, 1), 0),
    ApiInfo(75, "DescribeTopicPartitions", (0, 0), 0),
    ApiInfo(76, "ShareGroupHeartbeat", (0, 1), 0, "share_groups"),
    ApiInfo(77, "ShareGroupDescribe", (0, 1), 0, "share_groups"),
    ApiInfo(78, "ShareFetch", (0, 2), 0, "share_groups"),
    ApiInfo(79, "ShareAcknowledge", (0, 2), 0, "share_groups"),
    ApiInfo(80, "AddRaftVoter", (0, 1), 0, "kraft"),
    ApiInfo(81, "RemoveRaftVoter", (0, 0), 0, "kraft"),
    ApiInfo(82, "UpdateRaftVoter", (0, 0), 0, "kraft"),
    ApiInfo(83, "InitializeShareGroupState", (0, 0), 0, "share_groups"),
    ApiInfo(84, "ReadShareGroupState", (0, 0), 0, "share_groups"),
    ApiInfo(85, "WriteShareGroupState", (0, 1), 0, "share_groups"),
    ApiInfo(86, "DeleteShareGroupState", (0, 0), 0, "share_groups"),
    ApiInfo(87, "ReadShareGroupStateSummary", (0, 1), 0, "share_groups"),
    ApiInfo(88, "StreamsGroupHeartbeat", (0, 0), 0, "streams_groups"),
    ApiInfo(89, "StreamsGroupDescribe", (0, 0), 0, "streams_groups"),
    ApiInfo(90, "DescribeShareGroupOffsets", (0, 1), 0, "share_groups"),
    ApiInfo(91, "AlterShareGroupOffsets", (0, 0), 0, "share_groups"),
    ApiInfo(92, "DeleteShareGroupOffsets", (0, 0), 0, "share_groups"),
)

API_INFOS: dict[int, ApiInfo] = {info.api_key: info for info in _TABLE}


def api_info(api_key: int) -> ApiInfo:
    """DecodeError for a number that is no API."""
    try:
        return API_INFOS[api_key]
    except KeyError:
        raise DecodeError(f"there is no API with key {api_key}") from None
