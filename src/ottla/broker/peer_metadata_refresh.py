"""What a broker without a ZooKeeper session learns from its peers, so that its clients find the new leaders.

A client that is connected to one broker only asks that one who leads. When its session is over the controller does not
speak to it any more, and all it could say is that it does not know; the client would ask again, for as long as the
cut lasts. So it asks the other brokers, several times a second, until the controller speaks to it again:

    another leader in a higher epoch    goes into the image; a partition that we led or follow follows the new leader
    anything else                       may be as old as what we know ourselves, and is left
"""

import asyncio
import logging
from collections.abc import Iterator, Mapping

from ottla.controller.control_request_handler import ControlRequestHandler
from ottla.controller.local_partitions import PartitionRole
from ottla.errors import KafkaError
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import NO_LEADER, ClusterImage, PartitionImage
from ottla.model import TopicPartition
from ottla.protocol.messages.metadata import MetadataRequest, MetadataResponse, MetadataResponseTopic
from ottla.replication.peers import Peers

logger = logging.getLogger(__name__)

ASK_SECONDS = 0.3
_ANSWER_TIMEOUT_MS = 2000
_VERSION_MAX = 12  # topic ids
_CHANNEL = "peer-metadata"


class PeerMetadataRefresh:
    def __init__(self, peers: Peers, metadata: MetadataCache, state: ControlRequestHandler) -> None:
        self._peers = peers
        self._metadata = metadata
        self._state = state
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """The session is over: ask until the controller has told us everything anew."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run(), name="peer-metadata")

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while not self._state.registration.is_current:
            peers = [broker_id for broker_id in self._metadata.image.brokers if broker_id != self._state.broker_id]
            await asyncio.gather(*map(self._ask, peers))
            await asyncio.sleep(ASK_SECONDS)

    async def _ask(self, broker_id: int) -> None:
        request = MetadataRequest(topics=None, allow_auto_topic_creation=False)
        try:
            response: MetadataResponse = await self._peers.request(
                broker_id, request, channel=_CHANNEL, timeout_ms=_ANSWER_TIMEOUT_MS, version_max=_VERSION_MAX
            )
        except KafkaError as error:
            logger.debug("broker %d does not say who leads: %s", broker_id, error)
            return
        image, roles = merge_peer_metadata(self._metadata.image, response, self._state.broker_id)
        self._state.hear_from_peer(image, roles)


def merge_peer_metadata(
    image: ClusterImage, response: MetadataResponse, own_id: int
) -> tuple[ClusterImage, list[PartitionRole]]:
    """The image with what is newer in a peer's answer, and that as roles."""
    roles, changed = [], []
    for answer in response.topics:
        known = image.topics.get(answer.name or "")
        if known is None or known.topic_id != answer.topic_id:
            continue
        newer = dict(_newer(answer, known.partitions))
        if newer:
            changed.append(known._replace(partitions={**known.partitions, **newer}))
            roles += [_role(known.name, index, answer, partition) for index, partition in newer.items()]
    merged = image.with_topics(changed) if changed else image
    if response.controller_id not in (NO_LEADER, own_id, merged.controller_id):
        merged = merged.with_brokers(response.controller_id, merged.brokers)
    return merged, roles


def _newer(answer: MetadataResponseTopic, known: Mapping[int, PartitionImage]) -> Iterator[tuple[int, PartitionImage]]:
    for found in answer.partitions:
        ours = known.get(found.partition_index)
        if ours is not None and found.leader_epoch > ours.leader_epoch:
            yield (
                found.partition_index,
                ours._replace(
                    leader=found.leader_id,
                    leader_epoch=found.leader_epoch,
                    isr=tuple(found.isr_nodes),
                    replicas=tuple(found.replica_nodes),
                    offline_replicas=tuple(found.offline_replicas),
                ),
            )


def _role(topic: str, index: int, answer: MetadataResponseTopic, partition: PartitionImage) -> PartitionRole:
    return PartitionRole(
        partition=TopicPartition(topic, index),
        topic_id=answer.topic_id,
        leader=partition.leader,
        leader_epoch=partition.leader_epoch,
        isr=partition.isr,
        replicas=partition.replicas,
        partition_epoch=partition.partition_epoch,
        controller_epoch=partition.controller_epoch,
        is_new=False,
    )
