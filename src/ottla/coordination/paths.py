"""The name of every znode that Ottla reads or writes: Kafka 3.9's in ZooKeeper mode, and the older ones of the seeds.

All paths are relative to the chroot of `zookeeper.connect`. `payloads` holds the codecs of what is shown here.

    /brokers/ids/0                 ephemeral  {"features":{},"listener_security_protocol_map":{"PLAINTEXT":"PLAINTEXT"},
                                               "endpoints":["PLAINTEXT://localhost:9092"],"rack":"r1","jmx_port":-1,
                                               "port":9092,"host":"localhost","version":5,"timestamp":"1794736304062"}
    /brokers/seqid                            empty; its version is the counter of generated broker ids
    /brokers/topics/T                         {"partitions":{"0":[0,1]},"topic_id":"XdEkFA9QS8WJTtYlP4cDkA",
                                               "adding_replicas":{},"removing_replicas":{},"version":3}
    /brokers/topics/T/partitions/P/state      {"controller_epoch":1,"leader":0,"version":1,"leader_epoch":0,"isr":[0]}
    /cluster/id                               {"version":"1","id":"thZDzCkNTueY2KLrT0plMg"}
    /controller                    ephemeral  {"version":2,"brokerid":0,"timestamp":"17...","kraftControllerEpoch":-1}
    /controller_epoch                         1
    /config/topics/T                          {"version":1,"config":{"retention.ms":"100000"}}
    /config/brokers/0, /config/brokers/<default>, /config/users/U, /config/clients/C, /config/users/U/clients/C,
    /config/ips/I                             the same
    /config/changes/config_change_0000000000  {"version":2,"entity_path":"topics/views"}
    /admin/delete_topics/T                    empty
    /admin/reassign_partitions                {"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,2]}]}
    /admin/preferred_replica_election         {"version":1,"partitions":[{"topic":"t","partition":0}]}
    /isr_change_notification/isr_change_0000000000
                                              {"version":1,"partitions":[{"topic":"t","partition":0}]}
    /log_dir_event_notification/log_dir_event_0000000000
                                              {"version":1,"broker":0,"event":1}
    /latest_producer_id_block                 {"version":1,"broker":0,"block_start":"0","block_end":"999"}
    /feature                                  {"features":{},"version":2,"status":1}
    /kafka-acl/Topic/views                    {"acls":[{"principal":"User:bob","permissionType":"Allow","host":"*",
                                               "operation":"Read"}],"version":1}
    /kafka-acl-changes/acl_changes_0000000000            TOPIC:views
    /kafka-acl-extended/prefixed/Topic/views             as /kafka-acl
    /kafka-acl-extended-changes/acl_changes_0000000000   {"version":1,"resourceType":"TOPIC","name":"views",
                                                          "patternType":"PREFIXED"}
    /consumers/G/ids/C             ephemeral  {"version":1,"subscription":{"t":1},"pattern":"static","timestamp":"17"}
    /consumers/G/owners/T/P        ephemeral  G_host-1794736304062-1a2b3c4d-0     (the consumer thread)
    /consumers/G/offsets/T/P                  42

Names of users, clients and groups in a path are sanitized as Kafka does it: percent-encoded as in a URL.
"""

from urllib.parse import quote, unquote

from ottla.model import TopicPartition

BROKER_IDS = "/brokers/ids"
BROKER_SEQID = "/brokers/seqid"
BROKER_TOPICS = "/brokers/topics"
CLUSTER = "/cluster"
CLUSTER_ID = "/cluster/id"
CONTROLLER = "/controller"
CONTROLLER_EPOCH = "/controller_epoch"
CONFIG = "/config"
CONFIG_TOPICS = "/config/topics"
CONFIG_BROKERS = "/config/brokers"
CONFIG_USERS = "/config/users"
CONFIG_CLIENTS = "/config/clients"
CONFIG_IPS = "/config/ips"
CONFIG_CHANGES = "/config/changes"
DELETE_TOPICS = "/admin/delete_topics"
REASSIGN_PARTITIONS = "/admin/reassign_partitions"
PREFERRED_REPLICA_ELECTION = "/admin/preferred_replica_election"
ISR_CHANGE_NOTIFICATION = "/isr_change_notification"
LOG_DIR_EVENT_NOTIFICATION = "/log_dir_event_notification"
PRODUCER_ID_BLOCK = "/latest_producer_id_block"
FEATURE = "/feature"
CONSUMERS = "/consumers"
ACL = "/kafka-acl"
ACL_CHANGES = "/kafka-acl-changes"
ACL_EXTENDED = "/kafka-acl-extended"
ACL_EXTENDED_CHANGES = "/kafka-acl-extended-changes"
DELEGATION_TOKEN = "/delegation_token"
DELEGATION_TOKENS = "/delegation_token/tokens"
DELEGATION_TOKEN_CHANGES = "/delegation_token/token_changes"

DEFAULT_ENTITY = "<default>"

ACL_RESOURCE_TYPES = ("Topic", "Group", "Cluster", "TransactionalId", "DelegationToken", "User")

# What a broker creates when it starts and finds missing, parents first, as Kafka's createTopLevelPaths does.
PERSISTENT_ROOTS = (
    CONSUMERS,
    BROKER_IDS,
    BROKER_TOPICS,
    CONFIG_CHANGES,
    DELETE_TOPICS,
    BROKER_SEQID,
    ISR_CHANGE_NOTIFICATION,
    PRODUCER_ID_BLOCK,
    LOG_DIR_EVENT_NOTIFICATION,
    CONFIG_TOPICS,
    CONFIG_CLIENTS,
    CONFIG_USERS,
    CONFIG_BROKERS,
    CONFIG_IPS,
)

# World may not read these, even where the ACL of everything else lets it (they hold credentials).
SENSITIVE_ROOTS = (CONFIG_USERS, CONFIG_BROKERS, DELEGATION_TOKENS)

CONFIG_CHANGE_PREFIX = "config_change_"
ISR_CHANGE_PREFIX = "isr_change_"
LOG_DIR_EVENT_PREFIX = "log_dir_event_"
ACL_CHANGE_PREFIX = "acl_changes_"


def broker_id(broker: int) -> str:
    return f"{BROKER_IDS}/{broker}"


def topic(name: str) -> str:
    return f"{BROKER_TOPICS}/{name}"


def partitions(name: str) -> str:
    return f"{BROKER_TOPICS}/{name}/partitions"


def partition(topic_partition: TopicPartition) -> str:
    return f"{BROKER_TOPICS}/{topic_partition.topic}/partitions/{topic_partition.partition}"


def partition_state(topic_partition: TopicPartition) -> str:
    return f"{partition(topic_partition)}/state"


def topic_config(name: str) -> str:
    return f"{CONFIG_TOPICS}/{name}"


def broker_config(broker: int | None) -> str:
    """The dynamic configs of one broker, or of all brokers (None)."""
    return f"{CONFIG_BROKERS}/{DEFAULT_ENTITY if broker is None else broker}"


def config_entity(entity_path: str) -> str:
    """`topics/views` -> `/config/topics/views`."""
    return f"{CONFIG}/{entity_path}"


def deleted_topic(name: str) -> str:
    return f"{DELETE_TOPICS}/{name}"


def consumer_ids(group: str) -> str:
    return f"{CONSUMERS}/{group}/ids"


def consumer_id(group: str, consumer: str) -> str:
    return f"{CONSUMERS}/{group}/ids/{consumer}"


def consumer_owner(group: str, topic_partition: TopicPartition) -> str:
    return f"{CONSUMERS}/{group}/owners/{topic_partition.topic}/{topic_partition.partition}"


def consumer_offset(group: str, topic_partition: TopicPartition) -> str:
    return f"{CONSUMERS}/{group}/offsets/{topic_partition.topic}/{topic_partition.partition}"


def acl(resource_type: str, name: str, *, prefixed: bool = False) -> str:
    root = f"{ACL_EXTENDED}/prefixed" if prefixed else ACL
    return f"{root}/{resource_type}/{name}"


def is_sensitive(path: str) -> bool:
    """True for paths whose ACL must keep the world from reading."""
    return any(path == root or path.startswith(root + "/") for root in SENSITIVE_ROOTS)


def parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def basename(path: str) -> str:
    return path.rpartition("/")[2]


def sequence_number(name: str) -> int:
    """The counter that ZooKeeper appended to a sequential node's name; ValueError when there is none."""
    return int(name[-10:])


def sanitize(name: str) -> str:
    """A user or client name as it stands in a path: URL encoding, without '+' for space and with '*' encoded."""
    return quote(name, safe=".-_").replace("~", "%7E")


def desanitize(name: str) -> str:
    return unquote(name)
