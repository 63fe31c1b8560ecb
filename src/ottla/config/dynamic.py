"""Which broker keys may change while the broker runs, and at which level. Kafka's rules, order and sentences.

Most dynamic keys may be set for one broker or for the whole cluster. Listeners and their security belong to one
broker; the TLS stores among them only with a listener's prefix (listener.name.NAME.ssl.keystore.location).
"""

import logging
from collections.abc import Iterable, Mapping

from ottla.config.broker_config import BrokerConfig
from ottla.config.effective import parse_checked
from ottla.config.keys import broker_keys
from ottla.config.synonyms import LISTENER_PREFIX, base_key
from ottla.errors import ConfigError

logger = logging.getLogger(__name__)

_STORES = frozenset(
    {
        "ssl.key.password",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.keystore.location",
        "ssl.keystore.password",
        "ssl.keystore.type",
        "ssl.truststore.certificates",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.type",
    }
)
_LISTENER_KEYS = frozenset(
    {"listeners", "advertised.listeners", "listener.security.protocol.map", "principal.builder.class"}
)
_CLUSTER_WIDE = frozenset({"max.connections", "max.connection.creation.rate", "num.network.threads"})


def is_per_broker(key: str) -> bool:
    """Whether the key can only be set for one broker, not for the cluster."""
    if key.startswith(LISTENER_PREFIX):
        return base_key(key) not in _CLUSTER_WIDE
    definition = broker_keys().get(key)
    dynamic = definition is not None and definition.is_dynamic
    return dynamic and (key in _LISTENER_KEYS or key.startswith(("ssl.", "sasl.")))


def check_alteration(config: BrokerConfig, texts: Mapping[str, str], *, per_broker: bool) -> None:
    """ConfigError when a level's dynamic keys may not become these."""
    _refuse(_read_only(texts), "Cannot update these configs dynamically")
    _refuse(
        (key for key in texts if key in _STORES),
        "These security configs can be dynamically updated only per-listener using the listener prefix",
    )
    for key, text in texts.items():
        _check_value(key, text)
    if per_broker:
        config.with_dynamic(per_broker=texts)
    else:
        _refuse(
            filter(is_per_broker, texts),
            "Cannot update these configs at default cluster level, broker id must be specified",
        )
        config.with_dynamic(cluster_default=texts)


def check_storable(config: BrokerConfig, texts: Mapping[str, str]) -> None:
    """ConfigError when one of these keys, now set, is a password: ZooKeeper would show it to everybody who can read.

    Kafka stores it encrypted with `password.encoder.secret`, and refuses it, in these words, where there is none.
    """
    if not any(_is_password(key) for key in texts):
        return
    if config.password("password.encoder.secret") is None:
        raise ConfigError("Password encoder secret not configured")
    raise ConfigError("Passwords cannot be set dynamically here yet: put them into the broker's properties file")


def _is_password(key: str) -> bool:
    """By its end, since a listener's name and a SASL mechanism may stand in front."""
    return any(
        definition.is_sensitive and definition.is_dynamic and (key == name or key.endswith("." + name))
        for name, definition in broker_keys().items()
    )


def apply_found(
    config: BrokerConfig,
    *,
    per_broker: Mapping[str, str] | None = None,
    cluster_default: Mapping[str, str] | None = None,
) -> frozenset[str]:
    """Take over what stands in ZooKeeper. What cannot be is logged and left out: somebody else may have written it."""
    own = None if per_broker is None else _acceptable(per_broker, per_broker=True)
    shared = None if cluster_default is None else _acceptable(cluster_default, per_broker=False)
    try:
        return config.update_dynamic(per_broker=own, cluster_default=shared)
    except ConfigError as error:
        logger.error("dynamic configuration is not applied: %s", error)
        return frozenset()


def _acceptable(texts: Mapping[str, str], *, per_broker: bool) -> dict[str, str]:
    good = {}
    for key, text in texts.items():
        try:
            _refuse(_read_only([key]), "Cannot update these configs dynamically")
            if not per_broker:
                _refuse(filter(is_per_broker, [key]), "Cannot update these configs at default cluster level")
            _check_value(key, text)
        except ConfigError as error:
            logger.error("dynamic configuration: %s", error)
        else:
            good[key] = text
    return good


def _read_only(texts: Iterable[str]) -> Iterable[str]:
    keys = broker_keys()
    return (key for key in texts if key in keys and not keys[key].is_dynamic)


def _check_value(key: str, text: str) -> None:
    definition = broker_keys().get(base_key(key))
    if definition is not None:
        parse_checked(definition, text, key)


def _refuse(keys: Iterable[str], why: str) -> None:
    names = sorted(keys)
    if names:
        raise ConfigError(f"{why}: Set({', '.join(names)})")
