"""How a broker takes the controller's word: it refuses what is old, keeps the metadata image, tells its own replicas.

What is refused (KIP-380, KAFKA-7235): requests from a controller epoch below the highest seen, requests meant for an
earlier registration of this broker, and roles whose leader epoch is not above the one that the partition has.

Requests are done one after the other, each as a whole: a topic's configs may have to be read from ZooKeeper before its
partitions can be opened, and what comes after must wait for that.

Between two sessions the controller does not speak to this broker. What it hears of its peers then (`hear_from_peer`) is
for its clients: it follows where it is told of another leader, and leads nothing by it.
"""

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol

from ottla.controller.control_requests import LEADER_DURING_DELETE, SECURITY_PROTOCOL_IDS, ControlRequest
from ottla.controller.local_partitions import LocalPartitions, PartitionRole
from ottla.controller.registration import OwnRegistration
from ottla.errors import ErrorCode, KafkaError
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import BrokerRegistration, ClusterImage, Endpoint, PartitionImage, TopicImage
from ottla.model import ZERO_UUID, TopicPartition, topic_name_problem
from ottla.protocol.messages.leader_and_isr import (
    LeaderAndIsrPartitionError,
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicError,
)
from ottla.protocol.messages.stop_replica import StopReplicaPartitionError, StopReplicaRequest, StopReplicaResponse
from ottla.protocol.messages.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataResponse,
    UpdateMetadataTopicState,
)

log = logging.getLogger(__name__)

_FULL = 2
_SECURITY_PROTOCOLS = {number: name for name, number in SECURITY_PROTOCOL_IDS.items()}


class TopicOverrides(Protocol):
    """Where the configs of topics come from (`config_store`)."""

    async def load(self, topics: Iterable[str]) -> None:
        """Have the overrides of these topics at hand."""
        ...

    def overrides(self, topic: str) -> Mapping[str, str]: ...

    def forget(self, topic: str) -> None:
        """The topic is deleted; one of the same name may come with other configs."""
        ...


class HeldReplica(NamedTuple):
    topic_id: uuid.UUID
    leader_epoch: int


class ControlRequestHandler:
    """`on_told_everything` is called whenever the controller has told us all our roles: it knows this registration."""

    def __init__(
        self,
        registration: OwnRegistration,
        cache: MetadataCache,
        local: LocalPartitions,
        configs: TopicOverrides,
        on_told_everything: Callable[[], None] = lambda: None,
    ) -> None:
        self.registration = registration
        self.broker_id = registration.broker_id
        self._cache = cache
        self._local = local
        self._configs = configs
        self._controller_epoch = 0
        self._on_told_everything = on_told_everything
        self._held: dict[TopicPartition, HeldReplica] = {}
        self._turn = asyncio.Lock()

    def hear_from_peer(self, image: ClusterImage, roles: Iterable[PartitionRole]) -> None:
        """Without a session: who leads, as other brokers were told. What is led elsewhere by now is followed."""
        if self.registration.is_current:
            return
        if image is not self._cache.image:
            self._cache.swap(image)
        for role in roles:
            held = self._held.get(role.partition)
            if held is None or role.leader_epoch <= held.leader_epoch or role.leader == self.broker_id:
                continue
            try:
                self._local.become_follower(role, self._configs.overrides(role.partition.topic))
            except KafkaError as error:
                log.error("%s cannot follow broker %d: %s", role.partition, role.leader, error)

    async def handle(
        self, request: ControlRequest
    ) -> LeaderAndIsrResponse | StopReplicaResponse | UpdateMetadataResponse:
        match request:
            case LeaderAndIsrRequest():
                return await self.handle_leader_and_isr(request)
            case StopReplicaRequest():
                return await self.handle_stop_replica(request)
            case UpdateMetadataRequest():
                return await self.handle_update_metadata(request)

    def _refusal(self, request: ControlRequest) -> ErrorCode:
        if -1 < request.broker_epoch < self.registration.broker_epoch:
            return ErrorCode.STALE_BROKER_EPOCH
        if request.controller_epoch < self._controller_epoch:
            return ErrorCode.STALE_CONTROLLER_EPOCH
        self._controller_epoch = request.controller_epoch
        return ErrorCode.NONE

    # LeaderAndIsr

    async def handle_leader_and_isr(self, request: LeaderAndIsrRequest) -> LeaderAndIsrResponse:
        async with self._turn:
            refusal = self._refusal(request)
            if refusal:
                return LeaderAndIsrResponse(error_code=refusal)
            names = (topic.topic_name for topic in request.topic_states)
            await self._configs.load([name for name in names if topic_name_problem(name) is None])
            response = LeaderAndIsrResponse(
                topics=[
                    LeaderAndIsrTopicError(
                        topic_id=topic.topic_id,
                        partition_errors=[
                            LeaderAndIsrPartitionError(
                                partition_index=state.partition_index,
                                error_code=self._take_role(_role(topic.topic_name, topic.topic_id, state)),
                            )
                            for state in topic.partition_states
                        ],
                    )
                    for topic in request.topic_states
                ]
            )
            if request.type == _FULL and self.registration.told_everything(request.broker_epoch):
                self._on_told_everything()
            return response

    def _take_role(self, role: PartitionRole) -> ErrorCode:
        held = self._held.get(role.partition)
        if topic_name_problem(role.partition.topic) is not None or role.partition.partition < 0:
            return ErrorCode.INVALID_TOPIC_EXCEPTION  # It would become the name of a directory.
        if self.broker_id not in role.replicas:
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if self._local.is_offline(role.partition):
            return ErrorCode.KAFKA_STORAGE_ERROR
        if held is not None:
            if ZERO_UUID not in (held.topic_id, role.topic_id) and held.topic_id != role.topic_id:
                return ErrorCode.INCONSISTENT_TOPIC_ID
            if role.leader_epoch <= held.leader_epoch:
                return ErrorCode.STALE_CONTROLLER_EPOCH
        overrides = self._configs.overrides(role.partition.topic)
        try:
            if role.leader == self.broker_id:
                self._local.become_leader(role, overrides)
            else:
                self._local.become_follower(role, overrides)
        except KafkaError as error:
            log.error("%s cannot be opened: %s", role.partition, error)
            return error.code
        self._held[role.partition] = HeldReplica(role.topic_id, role.leader_epoch)
        return ErrorCode.NONE

    # StopReplica

    async def handle_stop_replica(self, request: StopReplicaRequest) -> StopReplicaResponse:
        async with self._turn:
            refusal = self._refusal(request)
            if refusal:
                return StopReplicaResponse(error_code=refusal)
            errors = [
                StopReplicaPartitionError(
                    topic_name=topic.topic_name,
                    partition_index=state.partition_index,
                    error_code=self._stop(
                        TopicPartition(topic.topic_name, state.partition_index),
                        state.leader_epoch,
                        delete=state.delete_partition,
                    ),
                )
                for topic in request.topic_states
                for state in topic.partition_states
            ]
            return StopReplicaResponse(partition_errors=errors)

    def _stop(self, partition: TopicPartition, leader_epoch: int, *, delete: bool) -> ErrorCode:
        held = self._held.get(partition)
        if held is not None and -1 < leader_epoch < held.leader_epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        try:
            self._local.stop(partition, delete=delete)
        except KafkaError as error:
            log.error("%s cannot be stopped: %s", partition, error)
            return error.code
        if delete:
            self._held.pop(partition, None)
        return ErrorCode.NONE

    # UpdateMetadata

    async def handle_update_metadata(self, request: UpdateMetadataRequest) -> UpdateMetadataResponse:
        async with self._turn:
            refusal = self._refusal(request)
            if not refusal:
                before = self._cache.image
                self._cache.swap(merge_metadata(before, request))
                for gone in before.topics.keys() - self._cache.image.topics.keys():
                    self._configs.forget(gone)
            return UpdateMetadataResponse(error_code=refusal)


def merge_metadata(image: ClusterImage, request: UpdateMetadataRequest) -> ClusterImage:
    """The image after an UpdateMetadata. A full one (type 2) also says which topics there are not."""
    changed = [_merge_topic(image, topic) for topic in request.topic_states]
    told = {topic.name: topic for topic in changed}
    removed = {name for name, topic in told.items() if not topic.partitions}
    if request.type == _FULL:
        removed |= image.topics.keys() - told.keys()
    brokers = {broker.id: _registration(broker) for broker in request.live_brokers}
    return image.with_topics([t for t in changed if t.partitions], removed).with_brokers(request.controller_id, brokers)


def _merge_topic(image: ClusterImage, topic: UpdateMetadataTopicState) -> TopicImage:
    before = image.topics.get(topic.topic_name)
    same = before is not None and topic.topic_id in (before.topic_id, ZERO_UUID)
    partitions: dict[int, PartitionImage] = dict(before.partitions) if before is not None and same else {}
    for state in topic.partition_states:
        if state.leader == LEADER_DURING_DELETE:
            partitions.pop(state.partition_index, None)
        else:
            partitions[state.partition_index] = _partition(state)
    return TopicImage(topic.topic_name, topic.topic_id, dict(sorted(partitions.items())))


def _partition(state: UpdateMetadataPartitionState) -> PartitionImage:
    return PartitionImage(
        leader=state.leader,
        leader_epoch=state.leader_epoch,
        isr=tuple(state.isr),
        replicas=tuple(state.replicas),
        partition_epoch=state.zk_version,
        controller_epoch=state.controller_epoch,
        offline_replicas=tuple(state.offline_replicas),
    )


def _registration(broker: UpdateMetadataBroker) -> BrokerRegistration:
    endpoints = {
        endpoint.listener: Endpoint(
            endpoint.host, endpoint.port, _SECURITY_PROTOCOLS.get(endpoint.security_protocol, "PLAINTEXT")
        )
        for endpoint in broker.endpoints
    }
    return BrokerRegistration(broker.id, endpoints, broker.rack)


def _role(topic: str, topic_id: uuid.UUID, state: LeaderAndIsrPartitionState) -> PartitionRole:
    return PartitionRole(
        partition=TopicPartition(topic, state.partition_index),
        topic_id=topic_id,
        leader=state.leader,
        leader_epoch=state.leader_epoch,
        isr=tuple(state.isr),
        replicas=tuple(state.replicas),
        partition_epoch=state.partition_epoch,
        controller_epoch=state.controller_epoch,
        is_new=state.is_new,
        adding_replicas=tuple(state.adding_replicas),
        removing_replicas=tuple(state.removing_replicas),
        recovering=state.leader_recovery_state == 1,
    )
