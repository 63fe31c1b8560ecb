"""What the controller tells brokers after a change: one request of each kind per broker, built from the state.

LeaderAndIsr goes to the brokers that hold a replica, UpdateMetadata to all, StopReplica to those that must stop. All
carry the controller's epoch and the broker epoch of their addressee, so that late ones are recognised (KIP-380).
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ottla.controller.state import ControllerState, PartitionRecord
from ottla.coordination.payloads.brokers import Endpoint
from ottla.coordination.payloads.topics import LeaderAndIsr
from ottla.model import TopicPartition
from ottla.protocol.messages.leader_and_isr import (
    LeaderAndIsrLiveLeader,
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from ottla.protocol.messages.stop_replica import StopReplicaPartitionState, StopReplicaRequest, StopReplicaTopicState
from ottla.protocol.messages.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataEndpoint,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)

ControlRequest = LeaderAndIsrRequest | UpdateMetadataRequest | StopReplicaRequest

LEADER_DURING_DELETE = -2
SECURITY_PROTOCOL_IDS = {"PLAINTEXT": 0, "SSL": 1, "SASL_PLAINTEXT": 2, "SASL_SSL": 3}
_INCREMENTAL, _FULL = 1, 2
_EPOCH_DURING_DELETE = -2


class Addressed(NamedTuple):
    broker_id: int
    request: ControlRequest


class ControlBatch:
    """Collects what changed, then gives the requests in the order in which each broker must get them."""

    def __init__(self, state: ControllerState, controller_id: int) -> None:
        self._state = state
        self._controller_id = controller_id
        self._leader_and_isr: dict[int, dict[TopicPartition, bool]] = {}
        self._full: set[int] = set()
        self._metadata: dict[int, dict[TopicPartition, None]] = {}
        self._stops: dict[int, dict[TopicPartition, bool]] = {}

    def changed(self, partitions: Iterable[TopicPartition], *, new: Iterable[TopicPartition] = ()) -> None:
        """These have a new state: their replicas act on it, everybody is told."""
        new = set(new)
        for partition in partitions:
            for broker in self._state.partitions[partition].replicas:
                self._tell_replica(broker, partition, is_new=partition in new)
        self.update_metadata(partitions)

    def send_all_to(self, brokers: Iterable[int]) -> None:
        """Everything there is, for brokers that know nothing yet."""
        for broker in brokers:
            self._full.add(broker)
            self._leader_and_isr.setdefault(broker, {})
            for partition in self._state.replicas_on(broker):
                if partition.topic not in self._state.deletions:
                    self._tell_replica(broker, partition, is_new=False)
        self.update_metadata(self._state.partitions, brokers)

    def update_metadata(self, partitions: Iterable[TopicPartition], brokers: Iterable[int] | None = None) -> None:
        """Also without partitions: the list of live brokers may have changed."""
        partitions = list(partitions)
        for broker in self._state.brokers if brokers is None else brokers:
            self._metadata.setdefault(broker, {}).update(dict.fromkeys(partitions))

    def stop(self, broker: int, partition: TopicPartition, *, delete: bool) -> None:
        self._stops.setdefault(broker, {})[partition] = delete

    def _tell_replica(self, broker: int, partition: TopicPartition, *, is_new: bool) -> None:
        record = self._state.partitions[partition]
        if broker in self._state.brokers and record.state is not None:
            told = self._leader_and_isr.setdefault(broker, {})
            told[partition] = told.get(partition, False) or is_new

    def requests(self) -> Iterator[Addressed]:
        """Metadata last: when a client hears of a leader from it, that leader knows already."""
        for broker, partitions in self._leader_and_isr.items():
            yield Addressed(broker, self._leader_and_isr_request(broker, partitions))
        for broker, stops in self._stops.items():
            if broker in self._state.brokers:
                yield Addressed(broker, self._stop_replica_request(broker, stops))
        for broker, told in self._metadata.items():
            if broker in self._state.brokers:
                yield Addressed(broker, self._update_metadata_request(broker, told))

    def _broker_epoch(self, broker: int) -> int:
        return self._state.brokers[broker].epoch

    def _leader_and_isr_request(self, broker: int, partitions: dict[TopicPartition, bool]) -> LeaderAndIsrRequest:
        topics = {topic: [] for topic in dict.fromkeys(p.topic for p in partitions)}  # type: dict[str, list[LeaderAndIsrPartitionState]]
        leaders: set[int] = set()
        for partition, is_new in partitions.items():
            record = self._state.partitions[partition]
            assert record.state is not None
            leaders.add(record.state.leader)
            topics[partition.topic].append(_leader_and_isr(partition.partition, record, record.state, is_new))
        return LeaderAndIsrRequest(
            controller_id=self._controller_id,
            controller_epoch=self._state.epoch,
            broker_epoch=self._broker_epoch(broker),
            type=_FULL if broker in self._full else _INCREMENTAL,
            topic_states=[
                LeaderAndIsrTopicState(
                    topic_name=topic, topic_id=self._state.topics[topic].topic_id, partition_states=states
                )
                for topic, states in topics.items()
            ],
            live_leaders=[
                _live_leader(self._state, leader) for leader in sorted(leaders) if leader in self._state.brokers
            ],
        )

    def _stop_replica_request(self, broker: int, stops: dict[TopicPartition, bool]) -> StopReplicaRequest:
        topics: dict[str, list[StopReplicaPartitionState]] = {}
        for partition, delete in stops.items():
            topics.setdefault(partition.topic, []).append(
                StopReplicaPartitionState(
                    partition_index=partition.partition,
                    leader_epoch=self._stop_epoch(partition),
                    delete_partition=delete,
                )
            )
        return StopReplicaRequest(
            controller_id=self._controller_id,
            controller_epoch=self._state.epoch,
            broker_epoch=self._broker_epoch(broker),
            topic_states=[
                StopReplicaTopicState(topic_name=topic, partition_states=states) for topic, states in topics.items()
            ],
        )

    def _stop_epoch(self, partition: TopicPartition) -> int:
        """-2 says that the topic is deleted, whatever the leader epoch."""
        record = self._state.partitions.get(partition)
        if partition.topic in self._state.deletions or record is None or record.state is None:
            return _EPOCH_DURING_DELETE
        return record.state.leader_epoch

    def _update_metadata_request(self, broker: int, partitions: dict[TopicPartition, None]) -> UpdateMetadataRequest:
        topics: dict[str, list[UpdateMetadataPartitionState]] = {}
        for partition in partitions:
            topics.setdefault(partition.topic, []).append(self._metadata_of(partition))
        return UpdateMetadataRequest(
            controller_id=self._controller_id,
            controller_epoch=self._state.epoch,
            broker_epoch=self._broker_epoch(broker),
            type=_FULL if broker in self._full else _INCREMENTAL,
            topic_states=[
                UpdateMetadataTopicState(
                    topic_name=topic, topic_id=self._state.topics[topic].topic_id, partition_states=states
                )
                for topic, states in topics.items()
            ],
            live_brokers=[_broker(broker_id, self._state) for broker_id in self._state.brokers],
        )

    def _metadata_of(self, partition: TopicPartition) -> UpdateMetadataPartitionState:
        record = self._state.partitions[partition]
        state = record.state or LeaderAndIsr(-1, -1, (), self._state.epoch)
        deleted = partition.topic in self._state.deletions
        return UpdateMetadataPartitionState(
            partition_index=partition.partition,
            controller_epoch=state.controller_epoch,
            leader=LEADER_DURING_DELETE if deleted else state.leader,
            leader_epoch=state.leader_epoch,
            isr=list(state.isr),
            zk_version=record.version,
            replicas=list(record.replicas),
            offline_replicas=[b for b in record.replicas if not self._state.is_online(b, partition)],
        )


def _leader_and_isr(
    number: int, record: PartitionRecord, state: LeaderAndIsr, is_new: bool
) -> LeaderAndIsrPartitionState:
    return LeaderAndIsrPartitionState(
        partition_index=number,
        controller_epoch=state.controller_epoch,
        leader=state.leader,
        leader_epoch=state.leader_epoch,
        isr=list(state.isr),
        partition_epoch=record.version,
        replicas=list(record.replicas),
        adding_replicas=list(record.adding),
        removing_replicas=list(record.removing),
        is_new=is_new,
        leader_recovery_state=int(state.recovering),
    )


def _live_leader(state: ControllerState, broker: int) -> LeaderAndIsrLiveLeader:
    endpoints = state.brokers[broker].info.endpoints
    first = endpoints[0] if endpoints else Endpoint("", "", -1)
    return LeaderAndIsrLiveLeader(broker_id=broker, host_name=first.host, port=first.port)


def _broker(broker: int, state: ControllerState) -> UpdateMetadataBroker:
    info = state.brokers[broker].info
    return UpdateMetadataBroker(
        id=broker,
        rack=info.rack,
        endpoints=[
            UpdateMetadataEndpoint(
                listener=endpoint.listener,
                host=endpoint.host,
                port=endpoint.port,
                security_protocol=SECURITY_PROTOCOL_IDS.get(endpoint.security_protocol, 0),
            )
            for endpoint in info.endpoints
        ],
    )
