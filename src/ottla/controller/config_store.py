"""Dynamic configs on one broker: read from /config, kept up to date by the notices under /config/changes.

A change is one multi: the entity's new configs over the version that they were made from, and a sequential notice that
names the entity. Every broker watches the notices, and reads the entities that they name. Configs of topics are read
when a partition of theirs is opened here; those of brokers, users, clients and addresses when the broker starts.

Notices older than 15 minutes are removed by whoever sees them. A broker that was away longer than that has lost its
session, and reads everything anew.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Mapping

from ottla.clock import Clock
from ottla.coordination import paths
from ottla.coordination.errors import (
    CoordinationError,
    NodeExistsError,
    NoNodeError,
    PayloadError,
    ZooKeeperError,
)
from ottla.coordination.payloads.configs import (
    ConfigEntity,
    broker_entity,
    decode_config,
    decode_config_change,
    encode_config,
    encode_config_change,
    topic_entity,
)
from ottla.coordination.session import CreateOp, Op, Session, SessionEvent, SetOp, WatchEvent

log = logging.getLogger(__name__)

NOTICE_LIFETIME_MS = 15 * 60 * 1000
MISSING = -1

Configs = dict[str, str]
OnTopicConfig = Callable[[str, Mapping[str, str]], None]
OnBrokerConfig = Callable[[int | None, Mapping[str, str]], None]  # None: of all brokers
OnClientConfig = Callable[[ConfigEntity, Mapping[str, str]], None]  # users, clients, ips


class StoredTopicConfigs(dict[str, Configs]):
    """The topics' own configs, as far as a `ConfigStore` has read them. There before it, since logs are."""

    def overrides(self, topic: str) -> Mapping[str, str]:
        return self.get(topic, {})


class ConfigStore:
    """`topics` is where the topics' configs go; without it a place of its own."""

    def __init__(
        self, session: Session, broker_id: int, clock: Clock, topics: StoredTopicConfigs | None = None
    ) -> None:
        self._session = session
        self._broker_id = broker_id
        self._clock = clock
        self._topics = StoredTopicConfigs() if topics is None else topics
        self._client_configs: dict[ConfigEntity, Configs] = {}
        self._last_notice = -1
        self._missed_notices = False
        self._notice_times: dict[str, int] = {}
        self._processing: asyncio.Task[None] | None = None
        self._again = False
        self._closed = False
        self._started = False
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._on_topic: list[OnTopicConfig] = []
        self._on_broker: list[OnBrokerConfig] = []
        self._on_client: list[OnClientConfig] = []

    def subscribe(
        self,
        *,
        on_topic: OnTopicConfig | None = None,
        on_broker: OnBrokerConfig | None = None,
        on_client: OnClientConfig | None = None,
    ) -> None:
        """Be told whenever configs are read: of topics that `load` knows, of this broker, of users, clients and ips."""
        if on_topic is not None:
            self._on_topic.append(on_topic)
        if on_broker is not None:
            self._on_broker.append(on_broker)
        if on_client is not None:
            self._on_client.append(on_client)

    async def start(self) -> None:
        self._session.subscribe(self._session_changed)
        await self.reload()
        self._started = True

    async def stop(self) -> None:
        self._closed = True
        self._started = False
        self._tell_waiting(give_up=True)
        if self._processing is not None and not self._processing.done():
            self._processing.cancel()
            await asyncio.wait([self._processing])

    # What other parts of the broker ask

    def overrides(self, topic: str) -> Mapping[str, str]:
        """The topic's own configs, as far as `load` has read them."""
        return self._topics.overrides(topic)

    def client_configs(self) -> Mapping[ConfigEntity, Mapping[str, str]]:
        """Everything under users, clients and ips: quotas and SCRAM credentials."""
        return self._client_configs

    async def load(self, topics: Iterable[str]) -> None:
        missing = [topic for topic in dict.fromkeys(topics) if topic not in self._topics]
        for topic, (configs, _) in zip(missing, await self._read_all(map(topic_entity, missing)), strict=True):
            self._topics[topic] = configs

    def forget(self, topic: str) -> None:
        """The topic is deleted; one of the same name may come with other configs."""
        self._topics.pop(topic, None)

    async def read(self, entity: ConfigEntity) -> tuple[Configs, int]:
        """The configs as they are in ZooKeeper, and their version (MISSING: there is no such node)."""
        path = paths.config_entity(entity.path)
        try:
            data, stat = await self._session.get(path)
        except NoNodeError:
            return {}, MISSING
        return decode_config(path, data), stat.version

    async def write(self, entity: ConfigEntity, configs: Mapping[str, str], version: int) -> None:
        """Replace configs that were read with `version`, notify, and wait until this broker has applied them.

        BadVersionError or NodeExistsError: somebody else was faster, read again.
        """
        path, data = paths.config_entity(entity.path), encode_config(configs)
        change: Op = SetOp(path, data, version)
        if version == MISSING:
            await self._make_parents(path)
            change = CreateOp(path, data)
        notice = f"{paths.CONFIG_CHANGES}/{paths.CONFIG_CHANGE_PREFIX}"
        results = await self._session.multi([change, CreateOp(notice, encode_config_change(entity), sequence=True)])
        await self._applied(paths.sequence_number(str(results[1])))

    async def _applied(self, notice: int) -> None:
        if self._started and self._last_notice < notice:
            applied: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((notice, applied))
            await applied

    def _tell_waiting(self, *, give_up: bool = False) -> None:
        """Writers wait for their own notice; when ZooKeeper cannot be reached they do not wait any longer."""
        for entry in list(self._waiting):
            notice, applied = entry
            if notice <= self._last_notice or give_up:
                self._waiting.remove(entry)
                if not applied.done():
                    applied.set_result(None)

    async def _make_parents(self, path: str) -> None:
        for parent in (paths.parent(path), paths.CONFIG_CHANGES):
            with contextlib.suppress(NodeExistsError):
                await self._session.create(parent, make_parents=True)

    async def _read_all(self, entities: Iterable[ConfigEntity]) -> list[tuple[Configs, int]]:
        return list(await asyncio.gather(*(self._read_tolerantly(entity) for entity in entities)))

    async def _read_tolerantly(self, entity: ConfigEntity) -> tuple[Configs, int]:
        try:
            return await self.read(entity)
        except PayloadError as error:
            log.error("configs are ignored: %s", error)
            return {}, MISSING

    # Everything at once: at the start, and with a new session

    async def reload(self) -> None:
        notices = await self._watch_notices()
        self._missed_notices = False
        self._last_notice = max((paths.sequence_number(name) for name in notices), default=-1)
        await self._apply_all([broker_entity(None), broker_entity(self._broker_id)])
        await self._apply_all(await self._client_entities())
        await self._apply_all(map(topic_entity, list(self._topics)))
        await self._purge(notices)

    async def _client_entities(self) -> list[ConfigEntity]:
        entities = []
        for kind in ("users", "clients", "ips"):
            entities += [ConfigEntity(((kind, name),)) for name in await self._names(kind)]
        for user in await self._names("users"):
            below = f"users/{_path_name(user)}/clients"
            entities += [ConfigEntity((("users", user), ("clients", name))) for name in await self._names(below)]
        return entities

    async def _names(self, below: str) -> list[str]:
        try:
            return [paths.desanitize(name) for name in await self._session.children(paths.config_entity(below))]
        except NoNodeError:
            return []

    async def _apply_all(self, entities: Iterable[ConfigEntity]) -> None:
        entities = list(entities)
        for entity, (configs, _) in zip(entities, await self._read_all(entities), strict=True):
            self._apply(entity, configs)

    def _apply(self, entity: ConfigEntity, configs: Configs) -> None:
        if entity.type == "topics":
            if entity.name in self._topics:
                self._topics[entity.name] = configs
                for on_topic in self._on_topic:
                    on_topic(entity.name, configs)
        elif entity.type == "brokers":
            if entity.name == paths.DEFAULT_ENTITY:
                self._tell_broker_config(None, configs)
            elif entity.name == str(self._broker_id):
                self._tell_broker_config(self._broker_id, configs)
        else:
            self._client_configs[entity] = configs
            for on_client in self._on_client:
                on_client(entity, configs)

    def _tell_broker_config(self, broker_id: int | None, configs: Configs) -> None:
        for on_broker in self._on_broker:
            on_broker(broker_id, configs)

    # Notices

    def _session_changed(self, event: SessionEvent) -> None:
        if event is SessionEvent.EXPIRED:
            self._tell_waiting(give_up=True)
        elif event is SessionEvent.RENEWED:
            self._missed_notices = True
            self._process_soon()

    def _notices_changed(self, _: WatchEvent) -> None:
        self._process_soon()

    def _process_soon(self) -> None:
        if self._closed:
            return
        if self._processing is not None and not self._processing.done():
            self._again = True
            return
        self._processing = asyncio.get_running_loop().create_task(self._process(), name="config-changes")

    async def _process(self) -> None:
        self._again = True
        while self._again:
            self._again = False
            try:
                await self._process_notices()
                self._tell_waiting()
            except CoordinationError as error:
                log.warning("config changes wait for ZooKeeper: %s", error)
                self._tell_waiting(give_up=True)
                return
            except Exception:
                log.exception("config changes could not be applied")
                self._tell_waiting(give_up=True)
                return

    async def _process_notices(self) -> None:
        if self._missed_notices:
            await self.reload()
            return
        notices = await self._watch_notices()
        fresh = [name for name in notices if paths.sequence_number(name) > self._last_notice]
        for name in fresh:
            entity = await self._read_notice(name)
            if entity is not None:
                await self._apply_all([entity])
            self._last_notice = paths.sequence_number(name)
        await self._purge(notices)

    async def _watch_notices(self) -> list[str]:
        try:
            names = await self._session.children(paths.CONFIG_CHANGES, self._notices_changed)
        except NoNodeError:
            await self._session.exists(paths.CONFIG_CHANGES, self._notices_changed)
            return []
        return sorted((n for n in names if n.startswith(paths.CONFIG_CHANGE_PREFIX)), key=paths.sequence_number)

    async def _read_notice(self, name: str) -> ConfigEntity | None:
        path = f"{paths.CONFIG_CHANGES}/{name}"
        try:
            data, stat = await self._session.get(path)
            self._notice_times[name] = stat.ctime
            return decode_config_change(path, data)
        except NoNodeError:
            return None
        except PayloadError as error:
            log.error("a notice is ignored: %s", error)
            return None

    async def _purge(self, notices: list[str]) -> None:
        self._notice_times = {name: time for name, time in self._notice_times.items() if name in notices}
        horizon = self._clock.wall_ms() - NOTICE_LIFETIME_MS
        for name in notices:
            if name not in self._notice_times:
                stat = await self._session.exists(f"{paths.CONFIG_CHANGES}/{name}")
                self._notice_times[name] = stat.ctime if stat else 0
            if self._notice_times[name] < horizon:
                await self._remove_notice(name)

    async def _remove_notice(self, name: str) -> None:
        with contextlib.suppress(ZooKeeperError):  # gone already, or for the next one who sees it
            await self._session.delete(f"{paths.CONFIG_CHANGES}/{name}")


def _path_name(name: str) -> str:
    return name if name == paths.DEFAULT_ENTITY else paths.sanitize(name)
