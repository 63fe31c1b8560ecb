"""The consumer's configuration as the values that its parts use, with the rules between keys that Kafka checks."""

from typing import NamedTuple

from ottla.clients.configuration import ClientConfig
from ottla.clients.consumer.assignors import Assignor, find_assignors
from ottla.clients.offset_lookup import OffsetSpec
from ottla.errors import ConfigError

RESETS = {"earliest": OffsetSpec.EARLIEST, "latest": OffsetSpec.LATEST, "none": None}


class FetchSettings(NamedTuple):
    min_bytes: int
    max_bytes: int
    max_wait_ms: int
    partition_max_bytes: int
    request_timeout_ms: int
    read_committed: bool
    check_crcs: bool
    rack: str
    reset_to: OffsetSpec | None
    metadata_max_age_ms: int


class GroupSettings(NamedTuple):
    group_id: str
    group_instance_id: str | None
    session_timeout_ms: int
    heartbeat_interval_ms: int
    max_poll_interval_ms: int
    assignors: tuple[Assignor, ...]
    rack: str | None

    @property
    def is_cooperative(self) -> bool:
        """Whether partitions move one by one: only when every assignor that may be agreed on works so."""
        return all(assignor.is_cooperative for assignor in self.assignors)


class ConsumerSettings(NamedTuple):
    fetch: FetchSettings
    group: GroupSettings | None
    auto_commit: bool
    auto_commit_interval_ms: int
    max_poll_records: int
    api_timeout_ms: int
    exclude_internal_topics: bool


def consumer_settings(config: ClientConfig) -> ConsumerSettings:
    return ConsumerSettings(
        fetch=_fetch_settings(config),
        group=_group_settings(config),
        auto_commit=_auto_commit(config),
        auto_commit_interval_ms=config.int("auto.commit.interval.ms"),
        max_poll_records=config.int("max.poll.records"),
        api_timeout_ms=config.int("default.api.timeout.ms"),
        exclude_internal_topics=config.bool("exclude.internal.topics"),
    )


def _fetch_settings(config: ClientConfig) -> FetchSettings:
    return FetchSettings(
        min_bytes=config.int("fetch.min.bytes"),
        max_bytes=config.int("fetch.max.bytes"),
        max_wait_ms=config.int("fetch.max.wait.ms"),
        partition_max_bytes=config.int("max.partition.fetch.bytes"),
        request_timeout_ms=config.int("request.timeout.ms"),
        read_committed=config.string("isolation.level") == "read_committed",
        check_crcs=config.bool("check.crcs"),
        rack=config.string("client.rack") or "",
        reset_to=RESETS[config.required_string("auto.offset.reset")],
        metadata_max_age_ms=config.int("metadata.max.age.ms"),
    )


def _group_settings(config: ClientConfig) -> GroupSettings | None:
    group_id = config.string("group.id")
    if group_id is None:
        return None
    if not group_id:
        raise ConfigError("group.id is empty")
    heartbeat, session = config.int("heartbeat.interval.ms"), config.int("session.timeout.ms")
    if heartbeat >= session:
        raise ConfigError("heartbeat.interval.ms must be set lower than session.timeout.ms")
    return GroupSettings(
        group_id=group_id,
        group_instance_id=config.string("group.instance.id"),
        session_timeout_ms=session,
        heartbeat_interval_ms=heartbeat,
        max_poll_interval_ms=config.int("max.poll.interval.ms"),
        assignors=tuple(find_assignors(config["partition.assignment.strategy"])),
        rack=config.string("client.rack") or None,
    )


def _auto_commit(config: ClientConfig) -> bool:
    """On by default with a group; without one there is nobody to commit for."""
    if config.string("group.id") is None:
        if config.given.get("enable.auto.commit"):
            raise ConfigError("enable.auto.commit cannot be set to true when default group id (null) is used.")
        return False
    return config.bool("enable.auto.commit")
