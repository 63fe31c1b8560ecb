"""One broker of a cluster in memory, with its admin handlers: requests and responses go through the codec."""

import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from ottla.config import BrokerConfig
from ottla.config.dynamic import apply_found
from ottla.controller.auto_creation import AutoTopicCreator
from ottla.errors import KafkaError
from ottla.handlers.cluster import ClusterHandlers
from ottla.handlers.configs import ConfigHandlers
from ottla.handlers.context import ClientContext, EncodedResponse, RequestContext
from ottla.handlers.metadata import MetadataHandlers
from ottla.handlers.registry import HandlerTable
from ottla.handlers.topics import TopicHandlers
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import decode, encode
from support.controlled_cluster import ControlledBroker, ControlledCluster


class AdminBroker:
    def __init__(self, broker: ControlledBroker, properties: dict[str, str]) -> None:
        self.broker = broker
        self.config = BrokerConfig.load({"broker.id": str(broker.broker_id), **properties})
        self.table = HandlerTable()
        creator = AutoTopicCreator(broker.controller, broker.cache, self.config, broker.cluster.channel)
        MetadataHandlers(broker.cache, creator, lambda: self.config.bool("auto.create.topics.enable")).register(
            self.table
        )
        TopicHandlers(broker.controller, broker.cache, self.config).register(self.table)
        ConfigHandlers(broker.configs, self.config, broker.cache, broker.broker_id).register(self.table)
        ClusterHandlers(broker.cache).register(self.table)
        broker.configs.subscribe(on_broker=self._broker_config)

    def _broker_config(self, broker_id: int | None, configs: Any) -> None:
        if broker_id is None:
            apply_found(self.config, cluster_default=configs)
        else:
            apply_found(self.config, per_broker=configs)

    async def call(self, key: ApiKey, version: int, request: Any, listener: str = "PLAINTEXT") -> Any:
        entry = self.table.find(key, version)
        assert entry is not None
        received, _ = decode(type(request), version, encode(request, version))
        context = RequestContext(key, version, client=ClientContext(listener))
        try:
            answer = entry.handle(context, received)
            if inspect.isawaitable(answer):
                answer = await answer
        except KafkaError as error:
            answer = entry.on_error(received, version, error)
        await self.broker.cluster.settle()
        from ottla.protocol.apis import api_info

        body = answer if isinstance(answer, EncodedResponse) else encode(answer, version)
        return decode(api_info(key).response_class(), version, body)[0]


@asynccontextmanager
async def admin_broker(
    properties: dict[str, str] | None = None, brokers: tuple[int, ...] = (0,), at: int = 0
) -> AsyncIterator[AdminBroker]:
    cluster = ControlledCluster()
    await cluster.start(*brokers)
    try:
        yield AdminBroker(cluster.running[at], properties or {})
    finally:
        await cluster.close()
