"""KRaft: the requests of its controllers and of their quorum, the payloads of its control records. None is served."""

from ottla.protocol import schema as s


# Vote (key 52): a KRaft candidate asks for votes; with pre-vote from version 2 on (KIP-996).
class RequestPartitionData(s.Struct):
    partition_index = s.int32()
    replica_epoch = s.int32()
    replica_id = s.int32()
    replica_directory_id = s.uuid_("1+")
    voter_directory_id = s.uuid_("1+")
    last_offset_epoch = s.int32()
    last_offset = s.int64()
    pre_vote = s.boolean("2+")
class RequestTopicData(s.Struct):
    topic_name = s.string()
    partitions = s.array(RequestPartitionData)
class VoteRequest(s.Request, key=52, versions="0-2", flexible="0+"):
    cluster_id = s.nullable_string(default=None)
    voter_id = s.int32("1+", default=-1)
    topics = s.array(RequestTopicData)

class ResponsePartitionData(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
    leader_id = s.int32()
    leader_epoch = s.int32()
    vote_granted = s.boolean()
class ResponseTopicData(s.Struct):
    topic_name = s.string()
    partitions = s.array(ResponsePartitionData)
class NodeEndpoint(s.Struct):
    node_id = s.int32("1+")
    host = s.string("1+")
    port = s.uint16("1+")
class VoteResponse(s.Response, key=52, versions="0-2", flexible="0+"):
    error_code = s.int16()
    topics = s.array(ResponseTopicData)
    node_endpoints = s.array(NodeEndpoint, "1+", tag=0)

# BeginQuorumEpoch (key 53): a new KRaft leader announces itself.
class BeginQuorumEpochRequestPartitionData(s.Struct):
    partition_index = s.int32()
    voter_directory_id = s.uuid_("1+")
    leader_id = s.int32()
    leader_epoch = s.int32()
class BeginQuorumEpochRequestTopicData(s.Struct):
    topic_name = s.string()
    partitions = s.array(BeginQuorumEpochRequestPartitionData)
class LeaderEndpoint(s.Struct):
    name = s.string("1+")
    host = s.string("1+")
    port = s.uint16("1+")
class BeginQuorumEpochRequest(s.Request, key=53, versions="0-1", flexible="1+"):
    cluster_id = s.nullable_string(default=None)
    voter_id = s.int32("1+", default=-1)
    topics = s.array(BeginQuorumEpochRequestTopicData)
    leader_endpoints = s.array(LeaderEndpoint, "1+")

class BeginQuorumEpochResponsePartitionData(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
    leader_id = s.int32()
    leader_epoch = s.int32()
class BeginQuorumEpochResponseTopicData(s.Struct):
    topic_name = s.string()
    partitions = s.array(BeginQuorumEpochResponsePartitionData)
class BeginQuorumEpochResponse(s.Response, key=53, versions="0-1", flexible="1+"):
    error_code = s.int16()
    topics = s.array(BeginQuorumEpochResponseTopicData)
    node_endpoints = s.array(NodeEndpoint, "1+", tag=0)

# EndQuorumEpoch (key 54): a KRaft leader resigns.
class ReplicaInfo(s.Struct):
    candidate_id = s.int32("1+")
    candidate_directory_id = s.uuid_("1+")
class EndQuorumEpochRequestPartitionData(s.Struct):
    partition_index = s.int32()
    leader_id = s.int32()
    leader_epoch = s.int32()
    preferred_successors = s.array(s.int32, "0")
    preferred_candidates = s.array(ReplicaInfo, "1+")
class EndQuorumEpochRequestTopicData(s.Struct):
    topic_name = s.string()
    partitions = s.array(EndQuorumEpochRequestPartitionData)
class EndQuorumEpochRequest(s.Request, key=54, versions="0-1", flexible="1+"):
    cluster_id = s.nullable_string(default=None)
    topics = s.array(EndQuorumEpochRequestTopicData)
    leader_endpoints = s.array(LeaderEndpoint, "1+")

class EndQuorumEpochResponsePartitionData(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
    leader_id = s.int32()
    leader_epoch = s.int32()
class EndQuorumEpochResponseTopicData(s.Struct):
    topic_name = s.string()
    partitions = s.array(EndQuorumEpochResponsePartitionData)
class EndQuorumEpochResponse(s.Response, key=54, versions="0-1", flexible="1+"):
    error_code = s.int16()
    topics = s.array(EndQuorumEpochResponseTopicData)
    node_endpoints = s.array(NodeEndpoint, "1+", tag=0)

# DescribeQuorum (key 55): the state of the KRaft quorum.
class DescribeQuorumRequestPartitionData(s.Struct):
    partition_index = s.int32()
class DescribeQuorumRequestTopicData(s.Struct):
    topic_name = s.string()
    partitions = s.array(DescribeQuorumRequestPartitionData)
class DescribeQuorumRequest(s.Request, key=55, versions="0-2", flexible="0+"):
    topics = s.array(DescribeQuorumRequestTopicData)

class ReplicaState(s.Struct):
    replica_id = s.int32()
    replica_directory_id = s.uuid_("2+")
    log_end_offset = s.int64()
    last_fetch_timestamp = s.int64("1+", default=-1)
    last_caught_up_timestamp = s.int64("1+", default=-1)
class DescribeQuorumResponsePartitionData(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string("2+")
    leader_id = s.int32()
    leader_epoch = s.int32()
    high_watermark = s.int64()
    current_voters = s.array(ReplicaState)
    observers = s.array(ReplicaState)
class DescribeQuorumResponseTopicData(s.Struct):
    topic_name = s.string()
    partitions = s.array(DescribeQuorumResponsePartitionData)
class Listener(s.Struct):
    name = s.string("2+")
    host = s.string("2+")
    port = s.uint16("2+")
class Node(s.Struct):
    node_id = s.int32("2+")
    listeners = s.array(Listener, "2+")
class DescribeQuorumResponse(s.Response, key=55, versions="0-2", flexible="0+"):
    error_code = s.int16()
    error_message = s.nullable_string("2+")
    topics = s.array(DescribeQuorumResponseTopicData)
    nodes = s.array(Node, "2+")

# FetchSnapshot (key 59): fetches a piece of a KRaft snapshot (KIP-630).
class SnapshotId(s.Struct):
    end_offset = s.int64()
    epoch = s.int32()
class RequestPartitionSnapshot(s.Struct):
    partition = s.int32()
    current_leader_epoch = s.int32()
    snapshot_id = s.struct_(SnapshotId)
    position = s.int64()
    replica_directory_id = s.uuid_("1+", tag=0)
class RequestTopicSnapshot(s.Struct):
    name = s.string()
    partitions = s.array(RequestPartitionSnapshot)
class FetchSnapshotRequest(s.Request, key=59, versions="0-1", flexible="0+"):
    cluster_id = s.nullable_string(default=None, tag=0)
    replica_id = s.int32(default=-1)
    max_bytes = s.int32(default=0x7FFFFFFF)
    topics = s.array(RequestTopicSnapshot)

class LeaderIdAndEpoch(s.Struct):
    leader_id = s.int32()
    leader_epoch = s.int32()
class ResponsePartitionSnapshot(s.Struct):
    index = s.int32()
    error_code = s.int16()
    snapshot_id = s.struct_(SnapshotId)
    current_leader = s.struct_(LeaderIdAndEpoch, tag=0)
    size = s.int64()
    position = s.int64()
    unaligned_records = s.records()
class ResponseTopicSnapshot(s.Struct):
    name = s.string()
    partitions = s.array(ResponsePartitionSnapshot)
class FetchSnapshotResponse(s.Response, key=59, versions="0-1", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    topics = s.array(ResponseTopicSnapshot)
    node_endpoints = s.array(NodeEndpoint, "1+", tag=0)

# AddRaftVoter (key 80): adds a voter to the KRaft quorum (KIP-853).
class AddRaftVoterListener(s.Struct):
    name = s.string()
    host = s.string()
    port = s.uint16()
class AddRaftVoterRequest(s.Request, key=80, versions="0-1", flexible="0+"):
    cluster_id = s.nullable_string()
    timeout_ms = s.int32()
    voter_id = s.int32()
    voter_directory_id = s.uuid_()
    listeners = s.array(AddRaftVoterListener)
    ack_when_committed = s.boolean("1+", default=True)

class AddRaftVoterResponse(s.Response, key=80, versions="0-1", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string()

# RemoveRaftVoter (key 81): removes a voter from the KRaft quorum (KIP-853).
class RemoveRaftVoterRequest(s.Request, key=81, versions="0", flexible="0+"):
    cluster_id = s.nullable_string()
    voter_id = s.int32()
    voter_directory_id = s.uuid_()

class RemoveRaftVoterResponse(s.Response, key=81, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string()

# UpdateRaftVoter (key 82): a KRaft voter tells the leader its endpoints and versions (KIP-853).
class UpdateRaftVoterListener(s.Struct):
    name = s.string()
    host = s.string()
    port = s.uint16()
class KRaftVersionFeature(s.Struct):
    min_supported_version = s.int16()
    max_supported_version = s.int16()
class UpdateRaftVoterRequest(s.Request, key=82, versions="0", flexible="0+"):
    cluster_id = s.nullable_string()
    current_leader_epoch = s.int32()
    voter_id = s.int32()
    voter_directory_id = s.uuid_()
    listeners = s.array(UpdateRaftVoterListener)
    kraft_version_feature = s.struct_(KRaftVersionFeature)

class CurrentLeader(s.Struct):
    leader_id = s.int32(default=-1)
    leader_epoch = s.int32(default=-1)
    host = s.string()
    port = s.int32()
class UpdateRaftVoterResponse(s.Response, key=82, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    current_leader = s.struct_(CurrentLeader, tag=0)

# BrokerRegistration (key 62): a broker registers with a KRaft controller.
class BrokerRegistrationListener(s.Struct):
    name = s.string()
    host = s.string()
    port = s.uint16()
    security_protocol = s.int16()
class Feature(s.Struct):
    name = s.string()
    min_supported_version = s.int16()
    max_supported_version = s.int16()
class BrokerRegistrationRequest(s.Request, key=62, versions="0-4", flexible="0+"):
    broker_id = s.int32()
    cluster_id = s.string()
    incarnation_id = s.uuid_()
    listeners = s.array(BrokerRegistrationListener)
    features = s.array(Feature)
    rack = s.nullable_string()
    is_migrating_zk_broker = s.boolean("1+")
    log_dirs = s.array(s.uuid_, "2+")
    previous_broker_epoch = s.int64("3+", default=-1)

class BrokerRegistrationResponse(s.Response, key=62, versions="0-4", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    broker_epoch = s.int64(default=-1)

# BrokerHeartbeat (key 63): a broker tells a KRaft controller that it is alive; log directories can be cordoned from
# version 2 on.
class BrokerHeartbeatRequest(s.Request, key=63, versions="0-2", flexible="0+"):
    broker_id = s.int32()
    broker_epoch = s.int64(default=-1)
    current_metadata_offset = s.int64()
    want_fence = s.boolean()
    want_shut_down = s.boolean()
    offline_log_dirs = s.array(s.uuid_, "1+", tag=0)
    cordoned_log_dirs = s.nullable_array(s.uuid_, "2+", default=None, tag=1)

class BrokerHeartbeatResponse(s.Response, key=63, versions="0-2", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    is_caught_up = s.boolean()
    is_fenced = s.boolean(default=True)
    should_shut_down = s.boolean()

# UnregisterBroker (key 64): removes the registration of a broker from a KRaft cluster.
class UnregisterBrokerRequest(s.Request, key=64, versions="0", flexible="0+"):
    broker_id = s.int32()

class UnregisterBrokerResponse(s.Response, key=64, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string()

# ControllerRegistration (key 70): a controller registers with the active KRaft controller.
class ControllerRegistrationListener(s.Struct):
    name = s.string()
    host = s.string()
    port = s.uint16()
    security_protocol = s.int16()
class ControllerRegistrationRequest(s.Request, key=70, versions="0", flexible="0+"):
    controller_id = s.int32()
    incarnation_id = s.uuid_()
    zk_migration_ready = s.boolean()
    listeners = s.array(ControllerRegistrationListener)
    features = s.array(Feature)

class ControllerRegistrationResponse(s.Response, key=70, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string()

# AllocateProducerIds (key 67): a broker asks the controller for a block of producer ids (KIP-730).
class AllocateProducerIdsRequest(s.Request, key=67, versions="0", flexible="0+"):
    broker_id = s.int32()
    broker_epoch = s.int64(default=-1)

class AllocateProducerIdsResponse(s.Response, key=67, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    producer_id_start = s.int64()
    producer_id_len = s.int32()

# AssignReplicasToDirs (key 73): a broker tells a KRaft controller in which log directory a replica lies (KIP-858).
class AssignReplicasToDirsRequestPartitionData(s.Struct):
    partition_index = s.int32()
class AssignReplicasToDirsRequestTopicData(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(AssignReplicasToDirsRequestPartitionData)
class RequestDirectoryData(s.Struct):
    id = s.uuid_()
    topics = s.array(AssignReplicasToDirsRequestTopicData)
class AssignReplicasToDirsRequest(s.Request, key=73, versions="0", flexible="0+"):
    broker_id = s.int32()
    broker_epoch = s.int64(default=-1)
    directories = s.array(RequestDirectoryData)

class AssignReplicasToDirsResponsePartitionData(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
class AssignReplicasToDirsResponseTopicData(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(AssignReplicasToDirsResponsePartitionData)
class ResponseDirectoryData(s.Struct):
    id = s.uuid_()
    topics = s.array(AssignReplicasToDirsResponseTopicData)
class AssignReplicasToDirsResponse(s.Response, key=73, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    directories = s.array(ResponseDirectoryData)

# Envelope (key 58): a broker forwards a client's request to the controller, with the client's principal (KIP-590).
class EnvelopeRequest(s.Request, key=58, versions="0", flexible="0+"):
    request_data = s.bytes_()
    request_principal = s.nullable_bytes()
    client_host_address = s.bytes_()

class EnvelopeResponse(s.Response, key=58, versions="0", flexible="0+"):
    response_data = s.nullable_bytes(default=None)
    error_code = s.int16()

# The principal of a forwarded request, inside an Envelope.
class DefaultPrincipalData(s.Data, versions="0", flexible="0+"):
    type = s.string()
    name = s.string()
    token_authenticated = s.boolean()

# The `quorum-state` file of a KRaft node.
class Voter(s.Struct):
    voter_id = s.int32("0")
class QuorumStateData(s.Data, versions="0-1", flexible="0+"):
    cluster_id = s.string("0")
    leader_id = s.int32(default=-1)
    leader_epoch = s.int32(default=-1)
    voted_id = s.int32(default=-1)
    voted_directory_id = s.uuid_("1+")
    applied_offset = s.int64("0")
    current_voters = s.nullable_array(Voter, "0")

# The payloads of KRaft's control records.
class LeaderChangeMessageVoter(s.Struct):
    voter_id = s.int32()
    voter_directory_id = s.uuid_("1+")
class LeaderChangeMessage(s.Data, versions="0-1", flexible="0+"):
    version = s.int16()
    leader_id = s.int32()
    voters = s.array(LeaderChangeMessageVoter)
    granting_voters = s.array(LeaderChangeMessageVoter)

class SnapshotHeaderRecord(s.Data, versions="0", flexible="0+"):
    version = s.int16()
    last_contained_log_timestamp = s.int64()

class SnapshotFooterRecord(s.Data, versions="0", flexible="0+"):
    version = s.int16()

class KRaftVersionRecord(s.Data, versions="0", flexible="0+"):
    version = s.int16()
    kraft_version = s.int16()

class Endpoint(s.Struct):
    name = s.string()
    host = s.string()
    port = s.uint16()
class VotersRecordVoter(s.Struct):
    voter_id = s.int32()
    voter_directory_id = s.uuid_()
    endpoints = s.array(Endpoint)
    kraft_version_feature = s.struct_(KRaftVersionFeature)
class VotersRecord(s.Data, versions="0", flexible="0+"):
    version = s.int16()
    voters = s.array(VotersRecordVoter)
