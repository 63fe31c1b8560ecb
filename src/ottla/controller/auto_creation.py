"""Topics that nobody created: those that clients ask metadata for, and the internal ones on first use.

On the controller they are created at once; elsewhere the controller is asked, and the client asks again. Internal
topics get their own number of partitions, replicas and configs, and no more replicas than there are live brokers.
"""

import asyncio
import logging
from collections.abc import Iterable
from typing import Any, Protocol

from ottla.config import BrokerConfig
from ottla.controller.node import ControllerNode
from ottla.controller.topic_admin import CreatedTopic
from ottla.controller.topic_rules import CLUSTER_METADATA_TOPIC, NewTopic
from ottla.errors import ErrorCode, KafkaError
from ottla.metadata.cache import MetadataCache
from ottla.observability.logs import RateLimitedLogger
from ottla.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest

log = logging.getLogger(__name__)

OFFSETS_TOPIC = "__consumer_offsets"
TRANSACTIONS_TOPIC = "__transaction_state"
_FORWARD_TIMEOUT_MS = 30_000


class Forwarder(Protocol):
    """The way to the controller when it is another broker."""

    def send(self, broker_id: int, request: Any) -> "asyncio.Future[Any]": ...


class AutoTopicCreator:
    def __init__(
        self, controller: ControllerNode, cache: MetadataCache, config: BrokerConfig, forwarder: Forwarder
    ) -> None:
        self._controller = controller
        self._cache = cache
        self._config = config
        self._forwarder = forwarder
        self._in_flight: set[str] = set()
        self._log = RateLimitedLogger(log)

    async def create_missing(self, topics: Iterable[str]) -> dict[str, ErrorCode]:
        """What to answer for each topic now. Kafka's codes: a client that gets one of the first two asks again.

        LEADER_NOT_AVAILABLE: it is being made here; UNKNOWN_TOPIC_OR_PARTITION: the controller was asked;
        anything else: it cannot be made. A topic that is never made has no answer.
        """
        wanted = [self.new_topic(name) for name in topics if name != CLUSTER_METADATA_TOPIC]
        if self._controller.is_active:
            return await self._create(wanted)
        return self._forward(wanted)

    async def _create(self, wanted: list[NewTopic]) -> dict[str, ErrorCode]:
        try:
            outcomes = await self._controller.create_topics(wanted)
        except KafkaError:
            return {topic.name: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION for topic in wanted}
        errors = {}
        for topic, outcome in zip(wanted, outcomes, strict=True):
            errors[topic.name] = ErrorCode.LEADER_NOT_AVAILABLE
            if isinstance(outcome, CreatedTopic):
                log.info("topic %s is created, because it was asked for", outcome)
            if isinstance(outcome, KafkaError) and outcome.code != ErrorCode.TOPIC_ALREADY_EXISTS:
                self._log.warning("refused", "topic %s cannot be created: %s", topic.name, outcome)
                errors[topic.name] = outcome.code
        return errors

    def _forward(self, wanted: list[NewTopic]) -> dict[str, ErrorCode]:
        fresh = [topic for topic in wanted if topic.name not in self._in_flight]
        controller_id = self._cache.image.controller_id
        if fresh and controller_id in self._cache.image.brokers:
            names = {topic.name for topic in fresh}
            self._in_flight |= names
            answer = self._forwarder.send(controller_id, _request(fresh))
            answer.add_done_callback(lambda done: self._forwarded(names, done))
        return {topic.name: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION for topic in wanted}

    def _forwarded(self, names: set[str], answer: "asyncio.Future[Any]") -> None:
        self._in_flight -= names
        if not answer.cancelled() and answer.exception() is not None:
            asked = ", ".join(sorted(names))
            self._log.warning("not asked", "the controller could not be asked for %s: %s", asked, answer.exception())

    def new_topic(self, name: str) -> NewTopic:
        """How a topic of this name is made when nobody says how."""
        if name == OFFSETS_TOPIC:
            return self._internal(
                name,
                "offsets.topic",
                {"compression.type": "producer", "segment.bytes": str(self._config.int("offsets.topic.segment.bytes"))},
            )
        if name == TRANSACTIONS_TOPIC:
            return self._internal(
                name,
                "transaction.state.log",
                {
                    "compression.type": "uncompressed",
                    "min.insync.replicas": str(self._config.int("transaction.state.log.min.isr")),
                    "segment.bytes": str(self._config.int("transaction.state.log.segment.bytes")),
                    "unclean.leader.election.enable": "false",
                },
            )
        return NewTopic(name)

    def _internal(self, name: str, prefix: str, configs: dict[str, str]) -> NewTopic:
        factor = min(self._config.int(f"{prefix}.replication.factor"), max(1, len(self._cache.image.brokers)))
        insync = int(configs.get("min.insync.replicas", "1"))
        if insync > factor:
            configs["min.insync.replicas"] = str(factor)
        return NewTopic(
            name, self._config.int(f"{prefix}.num.partitions"), factor, configs={"cleanup.policy": "compact", **configs}
        )


def _request(topics: list[NewTopic]) -> CreateTopicsRequest:
    return CreateTopicsRequest(
        timeout_ms=_FORWARD_TIMEOUT_MS,
        topics=[
            CreatableTopic(
                name=topic.name,
                num_partitions=topic.partitions,
                replication_factor=topic.replication_factor,
                configs=[CreatableTopicConfig(name=key, value=value) for key, value in topic.configs.items()],
            )
            for topic in topics
        ],
    )
