"""What a broker without a session takes from its peers: higher epochs, and nothing else."""

import uuid
from collections.abc import Iterable, Mapping

from ottla.broker.peer_metadata_refresh import merge_peer_metadata
from ottla.controller.control_request_handler import ControlRequestHandler, HeldReplica
from ottla.controller.registration import OwnRegistration
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import ClusterImage, PartitionImage, TopicImage
from ottla.model import TopicPartition
from ottla.protocol.messages.metadata import MetadataResponse, MetadataResponsePartition, MetadataResponseTopic
from support.controlled_cluster import RememberedPartitions

OWN_ID = 1
TOPIC_ID = uuid.UUID(int=7)
P0 = TopicPartition("t", 0)


class NoConfigs:
    async def load(self, topics: Iterable[str]) -> None:
        pass

    def overrides(self, topic: str) -> Mapping[str, str]:
        return {}

    def forget(self, topic: str) -> None:
        pass


def image(leader: int, epoch: int) -> ClusterImage:
    partition = PartitionImage(leader, epoch, (1, 2), (1, 2), 3, 1)
    return ClusterImage(controller_id=OWN_ID, topics={"t": TopicImage("t", TOPIC_ID, {0: partition})})


def heard(leader: int, epoch: int, *, controller: int = 2, topic_id: uuid.UUID = TOPIC_ID) -> MetadataResponse:
    partition = MetadataResponsePartition(
        partition_index=0, leader_id=leader, leader_epoch=epoch, isr_nodes=[2], replica_nodes=[1, 2]
    )
    topic = MetadataResponseTopic(name="t", topic_id=topic_id, partitions=[partition])
    return MetadataResponse(controller_id=controller, topics=[topic])


def test_a_leader_of_a_higher_epoch_and_another_controller_are_taken() -> None:
    merged, roles = merge_peer_metadata(image(-1, 4), heard(2, 5), OWN_ID)
    found = merged.partition("t", 0)
    assert found is not None
    assert (found.leader, found.leader_epoch, found.isr) == (2, 5, (2,))
    assert merged.controller_id == 2
    assert [(role.partition, role.leader, role.leader_epoch) for role in roles] == [(P0, 2, 5)]


def test_what_is_not_newer_or_of_another_topic_is_left() -> None:
    before = image(-1, 4)
    for response in (heard(2, 4, controller=OWN_ID), heard(2, 9, controller=-1, topic_id=uuid.UUID(int=8))):
        merged, roles = merge_peer_metadata(before, response, OWN_ID)
        assert merged is before
        assert roles == []


def test_a_broker_without_a_session_follows_the_leader_that_it_hears_of() -> None:
    registration = OwnRegistration(OWN_ID)
    cache, partitions = MetadataCache(image(-1, 4)), RememberedPartitions()
    state = ControlRequestHandler(registration, cache, partitions, NoConfigs())
    state._held[P0] = HeldReplica(TOPIC_ID, 4)
    registration.session_lost()
    state.hear_from_peer(*merge_peer_metadata(cache.image, heard(2, 5), OWN_ID))
    assert partitions.roles[P0].leader == 2
    assert cache.image.controller_id == 2


def test_a_broker_leads_nothing_by_hearsay() -> None:
    registration = OwnRegistration(OWN_ID)
    cache, partitions = MetadataCache(image(-1, 4)), RememberedPartitions()
    state = ControlRequestHandler(registration, cache, partitions, NoConfigs())
    state._held[P0] = HeldReplica(TOPIC_ID, 4)
    registration.session_lost()
    state.hear_from_peer(*merge_peer_metadata(cache.image, heard(OWN_ID, 5), OWN_ID))
    assert partitions.roles == {}


def test_with_a_session_hearsay_counts_for_nothing() -> None:
    registration = OwnRegistration(OWN_ID)
    cache, partitions = MetadataCache(image(-1, 4)), RememberedPartitions()
    state = ControlRequestHandler(registration, cache, partitions, NoConfigs())
    state._held[P0] = HeldReplica(TOPIC_ID, 4)
    before = cache.image
    state.hear_from_peer(*merge_peer_metadata(cache.image, heard(2, 5), OWN_ID))
    assert cache.image is before
    assert partitions.roles == {}
