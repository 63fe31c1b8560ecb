"""Every key by kind. A kind's tables are imported and parsed when it is first asked for."""

from collections.abc import Mapping
from functools import cache

from ottla.config.definition import ConfigKey, parse_tables


@cache
def broker_themes() -> Mapping[str, Mapping[str, ConfigKey]]:
    """The broker's keys by theme, in the order of the tables."""
    from ottla.config.tables import (
        general,
        groups,
        kraft,
        log,
        network,
        ottla,
        remote_storage,
        replication,
        security,
        transactions,
        zookeeper,
    )

    tables = {
        "General": general.TABLE,
        "Listeners, connections and requests": network.TABLE,
        "The log": log.TABLE,
        "Replication and the controller": replication.TABLE,
        "ZooKeeper": zookeeper.TABLE,
        "Consumer groups and offsets": groups.TABLE,
        "Transactions": transactions.TABLE,
        "Security": security.TABLE,
        "Only in Ottla": ottla.TABLE,
        "Tiered storage": remote_storage.TABLE,
        "KRaft": kraft.TABLE,
    }
    return {title: parse_tables(table) for title, table in tables.items()}


@cache
def broker_keys() -> Mapping[str, ConfigKey]:
    keys: dict[str, ConfigKey] = {}
    for theme in broker_themes().values():
        assert keys.keys().isdisjoint(theme), "a key stands in two themes"
        keys |= theme
    return keys


@cache
def topic_keys() -> Mapping[str, ConfigKey]:
    from ottla.config.tables import topic

    return parse_tables(topic.TABLE)


@cache
def producer_keys() -> Mapping[str, ConfigKey]:
    from ottla.config.tables import client, client_security, producer

    return parse_tables(producer.TABLE, client.TABLE, client_security.TABLE)


@cache
def consumer_keys() -> Mapping[str, ConfigKey]:
    from ottla.config.tables import client, client_security, consumer

    return parse_tables(consumer.TABLE, client.TABLE, client_security.TABLE)


@cache
def admin_keys() -> Mapping[str, ConfigKey]:
    from ottla.config.tables import admin, client, client_security

    return parse_tables(admin.TABLE, client.TABLE, client_security.TABLE)


@cache
def old_producer_keys() -> Mapping[str, ConfigKey]:
    """The manual's 3.3: the producer that was there before the present one."""
    from ottla.config.tables import old_clients

    return parse_tables(old_clients.PRODUCER)


@cache
def old_consumer_keys() -> Mapping[str, ConfigKey]:
    """The manual's 3.2: the consumer that coordinated itself through ZooKeeper."""
    from ottla.config.tables import old_clients

    return parse_tables(old_clients.CONSUMER)
