"""What must hold between keys, checked whenever a layer of the broker's configuration changes."""

from typing import TYPE_CHECKING

from ottla.errors import ConfigError

if TYPE_CHECKING:
    from ottla.config.broker_config import BrokerConfig

_CLEANER_BUFFER_MIN = 1024 * 1024
# The keys that a member of Kafka's own quorum must have.
QUORUM_KEYS = (
    "process.roles",
    "controller.quorum.voters",
    "controller.quorum.bootstrap.servers",
    "controller.listener.names",
)


def check(config: "BrokerConfig") -> None:
    """ConfigError with the first rule that is broken."""
    for rule in (
        _check_no_quorum,
        _check_broker_id,
        _check_retention,
        _check_listeners,
        _check_security,
        _check_replication,
        _check_log,
        _check_groups,
    ):
        rule(config)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ConfigError(message)


def _check_no_quorum(config: "BrokerConfig") -> None:
    """Kafka's own quorum is not had here: brokers that ask for one would each be a cluster of its own, in silence."""
    asked = [key for key in QUORUM_KEYS if config.originals.get(key, "").strip()]
    _require(not asked, _without_quorum(asked, config))


def _without_quorum(asked: list[str], config: "BrokerConfig") -> str:
    """What to write instead, with the broker id that was meant."""
    broker_id = f"    broker.id={config.originals.get('node.id', config.originals.get('broker.id', '1'))}"
    return "\n".join(
        (
            f"{', '.join(asked)}: Kafka's own quorum (KRaft) cannot be had, Ottla is coordinated by ZooKeeper. Take "
            "process.roles, controller.* and the controller's listener out, and write",
            "for one broker, which brings a ZooKeeper of its own:",
            broker_id,
            "for several, the same ZooKeeper in each and another id:",
            broker_id,
            "    zookeeper.connect=HOST:2181",
        )
    )


def _check_broker_id(config: "BrokerConfig") -> None:
    broker_id = config.int("broker.id")
    if config.is_set("broker.id") and config.is_set("node.id"):
        _require(broker_id == config.int("node.id"), "broker.id and node.id name the same thing and must be equal")
    if config.bool("broker.id.generation.enable"):
        reserved = config.int("reserved.broker.max.id")
        within = -1 <= broker_id <= reserved
        _require(within, f"broker.id must be greater than or equal to -1 and not greater than {reserved}: {broker_id}")
    else:
        _require(broker_id >= 0, f"broker.id must be equal or greater than 0: {broker_id}")


def _check_retention(config: "BrokerConfig") -> None:
    _require(config.int("log.retention.ms") != 0, "log.retention.ms must be unlimited (-1) or, equal or greater than 1")
    _require(config.int("log.roll.ms") >= 1, "log.roll.ms must be equal or greater than 1")
    _require(config.int("log.roll.jitter.ms") >= 0, "log.roll.jitter.ms must be equal or greater than 0")


def _check_listeners(config: "BrokerConfig") -> None:
    names = {endpoint.listener_name for endpoint in config.listeners}
    told = {endpoint.listener_name for endpoint in config.advertised_listeners}
    between_brokers = config.inter_broker_listener_name
    _require(between_brokers in told, f"inter.broker.listener.name {between_brokers} must be advertised")
    control = config.control_plane_listener_name
    if control is not None:
        _require(control in names, f"control.plane.listener.name {control} is not among the listeners")
        differs = control != between_brokers
        _require(differs, "control.plane.listener.name and inter.broker.listener.name must differ")


def _check_security(config: "BrokerConfig") -> None:
    """A key that asks for protection which does not exist yet is refused, not passed over in silence."""
    encrypted = config.bool("zookeeper.ssl.client.enable")
    _require(not encrypted, "zookeeper.ssl.client.enable=true cannot be had yet: ZooKeeper is spoken to in plain text")
    _require(
        not config.string("authorizer.class.name"),
        "authorizer.class.name cannot be had yet: without ACLs everybody may read and write, so take the key out if "
        "that is what you want",
    )


def _check_replication(config: "BrokerConfig") -> None:
    wait = config.int("replica.fetch.wait.max.ms")
    _require(
        wait <= config.int("replica.socket.timeout.ms"),
        "replica.socket.timeout.ms should always be at least replica.fetch.wait.max.ms",
    )
    _require(
        wait <= config.int("replica.lag.time.max.ms"),
        "replica.fetch.wait.max.ms should always be less than or equal to replica.lag.time.max.ms",
    )


def _check_log(config: "BrokerConfig") -> None:
    _require(bool(config.log_dirs), "At least one log directory must be defined via log.dirs or log.dir.")
    _require(len(set(config.log_dirs)) == len(config.log_dirs), f"log.dirs names a directory twice: {config.log_dirs}")
    if config.bool("log.cleaner.enable") and config.int("log.cleaner.threads"):
        share = config.int("log.cleaner.dedupe.buffer.size") // config.int("log.cleaner.threads")
        _require(share > _CLEANER_BUFFER_MIN, "log.cleaner.dedupe.buffer.size must be at least 1MB per cleaner thread.")


def _check_groups(config: "BrokerConfig") -> None:
    low, high = config.int("group.min.session.timeout.ms"), config.int("group.max.session.timeout.ms")
    _require(low <= high, "group.min.session.timeout.ms must not be above group.max.session.timeout.ms")
    acks = config.int("offsets.commit.required.acks")
    within = -1 <= acks <= config.int("offsets.topic.replication.factor")
    _require(within, "offsets.commit.required.acks must be between -1 and offsets.topic.replication.factor")
