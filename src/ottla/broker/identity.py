"""Who this broker is: its id, its cluster. Both stand in each log directory's meta.properties and must agree."""

from typing import NamedTuple

from ottla.config import BrokerConfig
from ottla.controller.registration import cluster_id, generate_broker_id
from ottla.coordination.session import Session
from ottla.errors import ConfigError
from ottla.storage.log_dir.meta_properties import check_same_broker, check_same_cluster
from ottla.storage.log_manager import LogManager


class Identity(NamedTuple):
    broker_id: int
    cluster_id: str


async def establish_identity(config: BrokerConfig, session: Session, logs: LogManager) -> Identity:
    """The ids that configuration, log directories and ZooKeeper agree on; written down for the next start."""
    found = logs.dirs.found_meta()
    known_cluster = next((meta.cluster_id for _source, meta in found if meta.cluster_id), None)
    cluster = await cluster_id(session, known_cluster)
    check_same_cluster(found, cluster)
    configured = config.int("broker.id")
    broker = check_same_broker(found, configured if configured >= 0 else None)
    if broker is None:
        broker = await _generate(config, session)
    logs.dirs.write_meta(broker, cluster)
    return Identity(broker, cluster)


async def _generate(config: BrokerConfig, session: Session) -> int:
    if not config.bool("broker.id.generation.enable"):
        raise ConfigError("broker.id is not set and broker.id.generation.enable is false: set one of them")
    return await generate_broker_id(session, config.int("reserved.broker.max.id"))
