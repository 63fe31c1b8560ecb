"""Partitions and replicas: offsets by time, deleting records, reassignment, leader election, log directories."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ottla.clients.admin.calls import AdminCalls
from ottla.clients.admin.outcomes import Outcomes
from ottla.clients.admin.types import (
    ElectionType,
    LogDirDescription,
    Reassignment,
    ReplicaLogDir,
    TopicPartitionReplica,
)
from ottla.clients.by_topic import partitions_by_topic, values_by_topic
from ottla.clients.errors import broker_error
from ottla.clients.offset_lookup import OffsetAndTimestamp, list_offsets
from ottla.errors import KafkaError, RetriableError
from ottla.errors.kafka import LeaderNotAvailableError
from ottla.model import TopicPartition
from ottla.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
)
from ottla.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopic,
)
from ottla.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopic,
)
from ottla.protocol.messages.describe_log_dirs import (
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
)
from ottla.protocol.messages.elect_leaders import ElectLeadersRequest, ElectLeadersResponse, TopicPartitions
from ottla.protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    ListPartitionReassignmentsTopics,
)


class PartitionCalls(AdminCalls):
    async def list_offsets(
        self, times: Mapping[TopicPartition, int], *, read_committed: bool = False
    ) -> Outcomes[TopicPartition, OffsetAndTimestamp]:
        """Offsets by time: an OffsetSpec, or milliseconds since 1970 for the first record at or after them::

        partition = TopicPartition("clicks", 0)
        admin.list_offsets({partition: OffsetSpec.LATEST})[partition].offset
        """
        results = await list_offsets(self._cluster, times, timeout_ms=self._timeout_ms, read_committed=read_committed)
        outcomes: Outcomes[TopicPartition, OffsetAndTimestamp] = Outcomes()
        for partition, result in results.items():
            if isinstance(result, KafkaError):
                outcomes.fail(partition, result)
            else:
                outcomes.succeed(partition, result)
        return outcomes

    async def delete_records(self, before: Mapping[TopicPartition, int]) -> Outcomes[TopicPartition, int]:
        """Delete what lies before an offset (-1: everything); gives the new first offsets::

        admin.delete_records({TopicPartition("clicks", 0): 1000}).check()
        """
        outcomes: Outcomes[TopicPartition, int] = Outcomes()
        self._cluster.watch_topics({partition.topic for partition in before})

        async def attempt() -> None:
            missing = {partition: offset for partition, offset in before.items() if partition not in outcomes}
            await self._cluster.refresh()
            by_leader: dict[int, dict[TopicPartition, int]] = {}
            for partition, offset in missing.items():
                leader = self._cluster.leader_of(*partition)
                if leader is not None:
                    by_leader.setdefault(leader.leader_id, {})[partition] = offset
            await asyncio.gather(*(self._delete(node, asked, outcomes) for node, asked in by_leader.items()))
            unresolved = [partition for partition in before if partition not in outcomes]
            if unresolved:
                raise LeaderNotAvailableError(f"no answer yet for {', '.join(map(str, unresolved))}")

        await self._retry(attempt, "deleting records")
        return outcomes

    async def _delete(
        self, node_id: int, before: Mapping[TopicPartition, int], outcomes: Outcomes[TopicPartition, int]
    ) -> None:
        topics = [
            DeleteRecordsTopic(
                name=name,
                partitions=[DeleteRecordsPartition(partition_index=index, offset=offset) for index, offset in values],
            )
            for name, values in values_by_topic(before).items()
        ]
        request = DeleteRecordsRequest(topics=topics, timeout_ms=self._timeout_ms)
        try:
            response: DeleteRecordsResponse = await self._cluster.send(node_id, request)
        except RetriableError:
            return
        for topic in response.topics:
            for result in topic.partitions:
                partition = TopicPartition(topic.name, result.partition_index)
                error = broker_error(result.error_code, f"records of {partition}")
                if not result.error_code:
                    outcomes.succeed(partition, result.low_watermark)
                elif not error.retriable:
                    outcomes.fail(partition, error)

    async def alter_partition_reassignments(
        self, targets: Mapping[TopicPartition, Sequence[int] | None]
    ) -> Outcomes[TopicPartition, None]:
        """Move partitions to other brokers; None cancels a move::

        admin.alter_partition_reassignments({TopicPartition("clicks", 0): [2, 3]}).check()
        """
        topics = [
            ReassignableTopic(
                name=name,
                partitions=[
                    ReassignablePartition(partition_index=index, replicas=None if replicas is None else list(replicas))
                    for index, replicas in values
                ],
            )
            for name, values in values_by_topic(targets).items()
        ]
        request = AlterPartitionReassignmentsRequest(timeout_ms=self._timeout_ms, topics=topics)
        response: AlterPartitionReassignmentsResponse = await self._ask_controller(
            request, "reassigning partitions", lambda response: [response.error_code]
        )
        _check(response, "reassigning partitions")
        outcomes: Outcomes[TopicPartition, None] = Outcomes()
        for topic in response.responses:
            for result in topic.partitions:
                _note(outcomes, TopicPartition(topic.name, result.partition_index), result)
        return outcomes

    async def list_partition_reassignments(
        self, partitions: Iterable[TopicPartition] | None = None
    ) -> dict[TopicPartition, Reassignment]:
        """The moves that are under way::

        admin.list_partition_reassignments()
        """
        topics = partitions if partitions is None else [
            ListPartitionReassignmentsTopics(name=name, partition_indexes=indexes)
            for name, indexes in partitions_by_topic(partitions).items()
        ]  # fmt: skip
        request = ListPartitionReassignmentsRequest(timeout_ms=self._timeout_ms, topics=topics)
        response: ListPartitionReassignmentsResponse = await self._ask_controller(
            request, "listing reassignments", lambda response: [response.error_code]
        )
        _check(response, "listing reassignments")
        return {
            TopicPartition(topic.name, found.partition_index): Reassignment(
                tuple(found.replicas), tuple(found.adding_replicas), tuple(found.removing_replicas)
            )
            for topic in response.topics
            for found in topic.partitions
        }

    async def elect_leaders(
        self, election_type: ElectionType = ElectionType.PREFERRED, partitions: Iterable[TopicPartition] | None = None
    ) -> Outcomes[TopicPartition, None]:
        """Elect leaders for some partitions or for all; ELECTION_NOT_NEEDED where nothing changes::

        admin.elect_leaders(ElectionType.PREFERRED, [TopicPartition("clicks", 0)])
        """
        wanted = partitions if partitions is None else [
            TopicPartitions(topic=name, partitions=indexes) for name, indexes in partitions_by_topic(partitions).items()
        ]  # fmt: skip
        request = ElectLeadersRequest(election_type=election_type, topic_partitions=wanted, timeout_ms=self._timeout_ms)
        response: ElectLeadersResponse = await self._ask_controller(
            request, "electing leaders", lambda response: [response.error_code]
        )
        if response.error_code:
            raise broker_error(response.error_code, "electing leaders")
        outcomes: Outcomes[TopicPartition, None] = Outcomes()
        for topic in response.replica_election_results:
            for result in topic.partition_result:
                _note(outcomes, TopicPartition(topic.topic, result.partition_id), result)
        return outcomes

    async def describe_log_dirs(
        self, broker_ids: Iterable[int] | None = None
    ) -> Outcomes[int, dict[str, LogDirDescription]]:
        """The log directories of brokers and the size of every replica in them::

        admin.describe_log_dirs([1])[1]
        """
        await self._know_brokers()
        nodes = list(self._cluster.snapshot.brokers if broker_ids is None else broker_ids)
        outcomes: Outcomes[int, dict[str, LogDirDescription]] = Outcomes()

        async def one(node_id: int) -> None:
            request = DescribeLogDirsRequest(topics=None)
            try:
                response: DescribeLogDirsResponse = await self._cluster.send(node_id, request)
                if response.error_code:
                    raise broker_error(response.error_code, f"log directories of broker {node_id}")
            except KafkaError as error:
                outcomes.fail(node_id, error)
            else:
                outcomes.succeed(node_id, {found.log_dir: _log_dir(found) for found in response.results})

        await asyncio.gather(*map(one, nodes))
        return outcomes

    async def alter_replica_log_dirs(
        self, targets: Mapping[TopicPartitionReplica, str]
    ) -> Outcomes[TopicPartitionReplica, None]:
        """Move replicas to other log directories of their broker::

        admin.alter_replica_log_dirs({TopicPartitionReplica("clicks", 0, 1): "/disk2"}).check()
        """
        await self._know_brokers()
        outcomes: Outcomes[TopicPartitionReplica, None] = Outcomes()
        by_broker: dict[int, dict[str, list[TopicPartition]]] = {}
        for (topic, index, broker_id), path in targets.items():
            by_broker.setdefault(broker_id, {}).setdefault(path, []).append(TopicPartition(topic, index))
        for broker_id, paths in by_broker.items():
            request = AlterReplicaLogDirsRequest(dirs=[_move(path, moved) for path, moved in paths.items()])
            response: AlterReplicaLogDirsResponse = await self._cluster.send(broker_id, request)
            for topic_result in response.results:
                for result in topic_result.partitions:
                    name = topic_result.topic_name
                    replica = TopicPartitionReplica(name, result.partition_index, broker_id)
                    if result.error_code:
                        outcomes.fail(replica, broker_error(result.error_code, f"{name}-{result.partition_index}"))
                    else:
                        outcomes.succeed(replica, None)
        return outcomes


def _check(response: Any, what: str) -> None:
    if response.error_code:
        raise broker_error(response.error_code, what, response.error_message)


def _note(outcomes: Outcomes[TopicPartition, None], partition: TopicPartition, result: Any) -> None:
    if result.error_code:
        outcomes.fail(partition, broker_error(result.error_code, str(partition), result.error_message))
    else:
        outcomes.succeed(partition, None)


def _move(path: str, partitions: Iterable[TopicPartition]) -> AlterReplicaLogDir:
    grouped = partitions_by_topic(partitions)
    return AlterReplicaLogDir(
        path=path,
        topics=[AlterReplicaLogDirTopic(name=name, partitions=indexes) for name, indexes in grouped.items()],
    )


def _log_dir(found: DescribeLogDirsResult) -> LogDirDescription:
    replicas = {
        TopicPartition(topic.name, replica.partition_index): ReplicaLogDir(
            replica.partition_size, replica.offset_lag, replica.is_future_key
        )
        for topic in found.topics
        for replica in topic.partitions
    }
    return LogDirDescription(replicas, found.total_bytes, found.usable_bytes)
