"""Deleting topics, to the last file and znode.

    /admin/delete_topics/T ──► everybody forgets the topic (UpdateMetadata, leader -2)
                           ──► every replica is stopped and its files deleted (StopReplica), when its broker is there
                           ──► all replicas are gone: /brokers/topics/T, /config/topics/T, /admin/delete_topics/T go

`state.deletions` has the replicas that are still there. A controller that takes over starts again from the top, which
does no harm: deleting what is gone is not an error.
"""

import asyncio
import logging
from collections.abc import Iterable
from typing import Any

from ottla.controller.context import ControllerContext
from ottla.coordination import paths
from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.protocol.messages.stop_replica import StopReplicaResponse

log = logging.getLogger(__name__)

Replica = tuple[TopicPartition, int]


class TopicDeletions:
    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._state = context.state
        self._in_flight: set[Replica] = set()
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}

    async def changed(self) -> None:
        """Somebody asked for topics to be deleted: we ourselves for a client, or a tool."""
        await self.mark(await self.requested())
        await self.proceed()

    async def requested(self) -> list[str]:
        look = self._context.watch("deletions", self.changed)
        return await self._context.session.children(paths.DELETE_TOPICS, look)

    def done(self, name: str) -> "asyncio.Future[None]":
        """Completes when the topic is gone altogether, or when this broker is not the controller any more."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if name in self._state.topics:
            self._waiting.setdefault(name, []).append(done)
        else:
            done.set_result(None)
        return done

    async def mark(self, names: Iterable[str]) -> None:
        """From now on nobody is told of these topics any more."""
        marked = []
        for name in names:
            if name not in self._state.topics or not self._context.dependencies.deletion_enabled():
                log.info("the request to delete topic %s is dropped", name)
                await self._context.store.delete_if_there(paths.deleted_topic(name))
            elif name not in self._state.deletions:
                self._state.deletions[name] = self._replicas(name)
                marked.append(name)
        if marked:
            log.debug("topics to be deleted: %s", ", ".join(marked))
            batch = self._context.batch()
            batch.update_metadata([p for name in marked for p in self._state.partitions_of(name)])
            self._context.send(batch)

    def _replicas(self, name: str) -> set[Replica]:
        return {
            (partition, broker)
            for partition in self._state.partitions_of(name)
            for broker in self._state.partitions[partition].replicas
        }

    async def proceed(self) -> None:
        """Finish what can be finished; have the replicas on live brokers removed. The rest waits for its broker."""
        for name in [name for name, left in self._state.deletions.items() if not left]:
            await self._context.store.delete_topic(name)
            self._state.drop_topic(name)
            self._tell_waiting(name)
            log.info("topic %s is deleted", name)
        stops: dict[int, list[TopicPartition]] = {}
        for replica in set().union(*self._state.deletions.values()) - self._in_flight:
            partition, broker = replica
            if broker in self._state.brokers:
                stops.setdefault(broker, []).append(partition)
                self._in_flight.add(replica)
        for broker, partitions in stops.items():
            self._stop(broker, partitions)

    def _stop(self, broker: int, partitions: list[TopicPartition]) -> None:
        batch = self._context.batch()
        for partition in partitions:
            batch.stop(broker, partition, delete=True)
        for addressed in batch.requests():
            answer = self._context.dependencies.channel.send(addressed.broker_id, addressed.request)
            answer.add_done_callback(lambda done: self._stopped(broker, partitions, done))

    def _stopped(self, broker: int, partitions: list[TopicPartition], answer: "asyncio.Future[Any]") -> None:
        self._in_flight -= {(partition, broker) for partition in partitions}
        deleted = _deleted(answer)
        if len(deleted) < len(partitions):
            log.warning("broker %d did not delete all replicas that it should", broker)
        for partition in deleted:
            self._state.deletions.get(partition.topic, set()).discard((partition, broker))
        if deleted:
            self._context.dependencies.trigger("replicas deleted", self.proceed)

    def left_office(self) -> None:
        """Another controller goes on with it: who waits here learns from the metadata how far it got."""
        for name in list(self._waiting):
            self._tell_waiting(name)

    def _tell_waiting(self, name: str) -> None:
        for done in self._waiting.pop(name, ()):
            if not done.done():
                done.set_result(None)


def _deleted(answer: "asyncio.Future[Any]") -> list[TopicPartition]:
    if answer.cancelled() or answer.exception() is not None:
        return []
    response: StopReplicaResponse = answer.result()
    if response.error_code != ErrorCode.NONE:
        return []
    return [
        TopicPartition(error.topic_name, error.partition_index)
        for error in response.partition_errors
        if error.error_code == ErrorCode.NONE
    ]
