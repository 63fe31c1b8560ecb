"""The numbers of the APIs, their versions, and from which version on each is flexible: every API of Kafka 3.9 and 4.x.

The table repeats what the message classes say, so that nothing needs to be imported to route a request; a test compares
the two.
"""

from enum import IntEnum

NEVER = 0x7FFF
"""First flexible version of an API that never became flexible."""


class ApiKey(IntEnum):
    """NAME = key, (oldest, newest version), first flexible version, module of its messages where it is not its name."""

    _value_: int
    versions: tuple[int, int]
    first_flexible: int
    module: str

    def __new__(
        cls, key: int, versions: tuple[int, int] = (0, 0), first_flexible: int = 0, module: str = ""
    ) -> "ApiKey":
        self = int.__new__(cls, key)
        self._value_ = key
        self.versions, self.first_flexible, self.module = versions, first_flexible, module
        return self

    PRODUCE = 0, (0, 13), 9
    FETCH = 1, (0, 18), 12
    LIST_OFFSETS = 2, (0, 11), 6
    METADATA = 3, (0, 13), 9
    LEADER_AND_ISR = 4, (0, 7), 4
    STOP_REPLICA = 5, (0, 4), 2
    UPDATE_METADATA = 6, (0, 8), 6
    CONTROLLED_SHUTDOWN = 7, (0, 3), 3
    OFFSET_COMMIT = 8, (0, 10), 8
    OFFSET_FETCH = 9, (0, 10), 6
    FIND_COORDINATOR = 10, (0, 6), 3
    JOIN_GROUP = 11, (0, 9), 6
    HEARTBEAT = 12, (0, 4), 4
    LEAVE_GROUP = 13, (0, 5), 4
    SYNC_GROUP = 14, (0, 5), 4
    DESCRIBE_GROUPS = 15, (0, 6), 5
    LIST_GROUPS = 16, (0, 5), 3
    SASL_HANDSHAKE = 17, (0, 1), NEVER
    API_VERSIONS = 18, (0, 4), 3
    CREATE_TOPICS = 19, (0, 7), 5
    DELETE_TOPICS = 20, (0, 6), 4
    DELETE_RECORDS = 21, (0, 2), 2
    INIT_PRODUCER_ID = 22, (0, 6), 2
    OFFSET_FOR_LEADER_EPOCH = 23, (0, 4), 4
    ADD_PARTITIONS_TO_TXN = 24, (0, 5), 3, "transactions"
    ADD_OFFSETS_TO_TXN = 25, (0, 4), 3, "transactions"
    END_TXN = 26, (0, 5), 3, "transactions"
    WRITE_TXN_MARKERS = 27, (0, 2), 1, "transactions"
    TXN_OFFSET_COMMIT = 28, (0, 5), 3, "transactions"
    DESCRIBE_ACLS = 29, (0, 3), 2, "acls"
    CREATE_ACLS = 30, (0, 3), 2, "acls"
    DELETE_ACLS = 31, (0, 3), 2, "acls"
    DESCRIBE_CONFIGS = 32, (0, 4), 4
    ALTER_CONFIGS = 33, (0, 2), 2
    ALTER_REPLICA_LOG_DIRS = 34, (0, 2), 2
    DESCRIBE_LOG_DIRS = 35, (0, 5), 2
    SASL_AUTHENTICATE = 36, (0, 2), 2
    CREATE_PARTITIONS = 37, (0, 3), 2
    CREATE_DELEGATION_TOKEN = 38, (0, 3), 2, "delegation_tokens"
    RENEW_DELEGATION_TOKEN = 39, (0, 2), 2, "delegation_tokens"
    EXPIRE_DELEGATION_TOKEN = 40, (0, 2), 2, "delegation_tokens"
    DESCRIBE_DELEGATION_TOKEN = 41, (0, 3), 2, "delegation_tokens"
    DELETE_GROUPS = 42, (0, 2), 2
    ELECT_LEADERS = 43, (0, 2), 2
    INCREMENTAL_ALTER_CONFIGS = 44, (0, 1), 1
    ALTER_PARTITION_REASSIGNMENTS = 45, (0, 1), 0
    LIST_PARTITION_REASSIGNMENTS = 46, (0, 0), 0
    OFFSET_DELETE = 47, (0, 0), NEVER
    DESCRIBE_CLIENT_QUOTAS = 48, (0, 1), 1
    ALTER_CLIENT_QUOTAS = 49, (0, 1), 1
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50, (0, 0), 0, "scram_credentials"
    ALTER_USER_SCRAM_CREDENTIALS = 51, (0, 0), 0, "scram_credentials"
    VOTE = 52, (0, 2), 0, "kraft"
    BEGIN_QUORUM_EPOCH = 53, (0, 1), 1, "kraft"
    END_QUORUM_EPOCH = 54, (0, 1), 1, "kraft"
    DESCRIBE_QUORUM = 55, (0, 2), 0, "kraft"
    ALTER_PARTITION = 56, (0, 3), 0
    UPDATE_FEATURES = 57, (0, 2), 0
    ENVELOPE = 58, (0, 0), 0, "kraft"
    FETCH_SNAPSHOT = 59, (0, 1), 0, "kraft"
    DESCRIBE_CLUSTER = 60, (0, 2), 0
    DESCRIBE_PRODUCERS = 61, (0, 0), 0
    BROKER_REGISTRATION = 62, (0, 4), 0, "kraft"
    BROKER_HEARTBEAT = 63, (0, 2), 0, "kraft"
    UNREGISTER_BROKER = 64, (0, 0), 0, "kraft"
    DESCRIBE_TRANSACTIONS = 65, (0, 0), 0, "transactions"
    LIST_TRANSACTIONS = 66, (0, 2), 0, "transactions"
    ALLOCATE_PRODUCER_IDS = 67, (0, 0), 0, "kraft"
    CONSUMER_GROUP_HEARTBEAT = 68, (0, 1), 0
    CONSUMER_GROUP_DESCRIBE = 69, (0, 1), 0
    CONTROLLER_REGISTRATION = 70, (0, 0), 0, "kraft"
    GET_TELEMETRY_SUBSCRIPTIONS = 71, (0, 0), 0, "telemetry"
    PUSH_TELEMETRY = 72, (0, 0), 0, "telemetry"
    ASSIGN_REPLICAS_TO_DIRS = 73, (0, 0), 0, "kraft"
    LIST_CONFIG_RESOURCES = 74, (0, 1), 0
    DESCRIBE_TOPIC_PARTITIONS = 75, (0, 0), 0
    SHARE_GROUP_HEARTBEAT = 76, (0, 1), 0, "share_groups"
    SHARE_GROUP_DESCRIBE = 77, (0, 1), 0, "share_groups"
    SHARE_FETCH = 78, (0, 2), 0, "share_groups"
    SHARE_ACKNOWLEDGE = 79, (0, 2), 0, "share_groups"
    ADD_RAFT_VOTER = 80, (0, 1), 0, "kraft"
    REMOVE_RAFT_VOTER = 81, (0, 0), 0, "kraft"
    UPDATE_RAFT_VOTER = 82, (0, 0), 0, "kraft"
    INITIALIZE_SHARE_GROUP_STATE = 83, (0, 0), 0, "share_groups"
    READ_SHARE_GROUP_STATE = 84, (0, 0), 0, "share_groups"
    WRITE_SHARE_GROUP_STATE = 85, (0, 1), 0, "share_groups"
    DELETE_SHARE_GROUP_STATE = 86, (0, 0), 0, "share_groups"
    READ_SHARE_GROUP_STATE_SUMMARY = 87, (0, 1), 0, "share_groups"
    STREAMS_GROUP_HEARTBEAT = 88, (0, 0), 0, "streams_groups"
    STREAMS_GROUP_DESCRIBE = 89, (0, 0), 0, "streams_groups"
    DESCRIBE_SHARE_GROUP_OFFSETS = 90, (0, 1), 0, "share_groups"
    ALTER_SHARE_GROUP_OFFSETS = 91, (0, 0), 0, "share_groups"
    DELETE_SHARE_GROUP_OFFSETS = 92, (0, 0), 0, "share_groups"
