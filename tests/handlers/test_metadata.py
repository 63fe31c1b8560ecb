import uuid
from typing import Any

import pytest

from ottla.errors import ErrorCode
from ottla.handlers.context import ClientContext, EncodedResponse, RequestContext
from ottla.handlers.metadata import MetadataHandlers
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import BrokerRegistration, ClusterImage, Endpoint, PartitionImage, TopicImage
from ottla.model import ZERO_UUID
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from support.admin_broker import AdminBroker, admin_broker
from support.coroutines import on_event_loop

ID = uuid.UUID(int=7)


def image() -> ClusterImage:
    """Broker 1 on both listeners, 2 on PLAINTEXT only, 3 dead; one partition per kind of leader."""
    both = {"PLAINTEXT": Endpoint("one", 9092), "SECURE": Endpoint("secure", 9093, "SSL")}
    brokers = {
        1: BrokerRegistration(1, both, "rack"),
        2: BrokerRegistration(2, {"PLAINTEXT": Endpoint("two", 9092)}),
    }
    partitions = {
        0: PartitionImage(1, 5, (1, 2), (1, 2), 0, 1),
        1: PartitionImage(2, 6, (2,), (2, 3), 0, 1, (3,)),
        2: PartitionImage(-1, 7, (3,), (3,), 0, 1, (3,)),
    }
    return ClusterImage(
        cluster_id="thZDzCkNTueY2KLrT0plMg",
        controller_id=2,
        brokers=brokers,
        topics={"t": TopicImage("t", ID, partitions)},
    )


async def ask(broker: AdminBroker, version: int, topics: Any, listener: str = "PLAINTEXT", **options: Any) -> Any:
    listed = None
    if topics is not None:
        listed = [
            MetadataRequestTopic(name=None, topic_id=each)
            if isinstance(each, uuid.UUID)
            else MetadataRequestTopic(name=each)
            for each in topics
        ]
    return await broker.call(ApiKey.METADATA, version, MetadataRequest(topics=listed, **options), listener)


async def with_image(version: int, topics: Any, listener: str = "PLAINTEXT", **options: Any) -> Any:
    async with admin_broker() as broker:
        broker.broker.cache.swap(image())
        return await ask(broker, version, topics, listener, **options)


@pytest.mark.parametrize("version", range(14))
@on_event_loop
async def test_every_version_tells_brokers_leaders_and_replicas(version: int) -> None:
    response = await with_image(version, ["t"])
    assert [(b.node_id, b.host, b.port) for b in response.brokers] == [(1, "one", 9092), (2, "two", 9092)]
    (topic,) = response.topics
    assert (topic.name, topic.error_code) == ("t", 0)
    assert [(p.partition_index, p.leader_id) for p in topic.partitions] == [(0, 1), (1, 2), (2, -1)]
    assert topic.partitions[0].error_code == 0
    assert topic.partitions[2].error_code == ErrorCode.LEADER_NOT_AVAILABLE
    if version >= 1:
        assert (response.controller_id, response.brokers[0].rack) == (2, "rack")
        assert [p.replica_nodes for p in topic.partitions] == [[1, 2], [2, 3], [3]]
    if version >= 2:
        assert response.cluster_id == "thZDzCkNTueY2KLrT0plMg"
    if version >= 5:
        assert [p.offline_replicas for p in topic.partitions] == [[], [3], [3]]
    if version >= 7:
        assert [p.leader_epoch for p in topic.partitions] == [5, 6, 7]
    if version >= 10:
        assert topic.topic_id == ID


@on_event_loop
async def test_version_0_leaves_out_replicas_that_are_dead_and_says_so() -> None:
    topic = (await with_image(0, ["t"])).topics[0]
    assert [p.replica_nodes for p in topic.partitions] == [[1, 2], [2], []]
    assert [p.error_code for p in topic.partitions] == [0, ErrorCode.REPLICA_NOT_AVAILABLE, 5]


@pytest.mark.parametrize(("version", "error"), [(5, ErrorCode.LEADER_NOT_AVAILABLE), (6, ErrorCode.LISTENER_NOT_FOUND)])
@on_event_loop
async def test_listener_of_the_request_decides_the_endpoints(version: int, error: ErrorCode) -> None:
    response = await with_image(version, ["t"], listener="SECURE")
    assert [(b.node_id, b.host, b.port) for b in response.brokers] == [(1, "secure", 9093)]
    assert [p.error_code for p in response.topics[0].partitions] == [0, error, ErrorCode.LEADER_NOT_AVAILABLE]
    assert [p.leader_id for p in response.topics[0].partitions] == [1, -1, -1]


@pytest.mark.parametrize(("version", "topics", "count"), [(0, [], 1), (1, [], 0), (1, None, 1), (12, None, 1)])
@on_event_loop
async def test_no_topics_are_all_in_version_0_and_none_later(version: int, topics: Any, count: int) -> None:
    assert len((await with_image(version, topics)).topics) == count


@on_event_loop
async def test_topics_are_found_by_their_id_from_version_12_on() -> None:
    response = await with_image(12, [ID, uuid.UUID(int=9)])
    assert [(t.name, t.topic_id, t.error_code) for t in response.topics] == [
        ("t", ID, 0),
        (None, uuid.UUID(int=9), ErrorCode.UNKNOWN_TOPIC_ID),
    ]
    for version, topic_id in ((10, ID), (12, ZERO_UUID), (13, ZERO_UUID)):
        refused = await with_image(version, [topic_id])
        assert [t.error_code for t in refused.topics] == [ErrorCode.INVALID_REQUEST]


@on_event_loop
async def test_same_topic_twice_is_told_once() -> None:
    assert len((await with_image(9, ["t", "t"])).topics) == 1


@on_event_loop
async def test_authorized_operations_are_told_when_asked_for() -> None:
    response = await with_image(
        9, ["t"], include_cluster_authorized_operations=True, include_topic_authorized_operations=True
    )
    assert (response.cluster_authorized_operations, response.topics[0].topic_authorized_operations) == (8096, 3576)
    response = await with_image(9, ["t"])
    assert response.cluster_authorized_operations == -(2**31)
    assert response.topics[0].topic_authorized_operations == -(2**31)


@on_event_loop
async def test_missing_topic_is_made_and_led_when_the_client_asks_again() -> None:
    async with admin_broker() as broker:
        first = await ask(broker, 12, ["auto"])
        assert [(t.name, t.error_code) for t in first.topics] == [("auto", ErrorCode.LEADER_NOT_AVAILABLE)]
        second = await ask(broker, 12, ["auto"])
        assert second.topics[0].partitions[0].leader_id == 0


@on_event_loop
async def test_internal_topics_are_made_as_kafka_makes_them() -> None:
    async with admin_broker() as broker:
        await ask(broker, 12, ["__consumer_offsets"])
        response = await ask(broker, 12, ["__consumer_offsets"])
        (topic,) = response.topics
        assert topic.is_internal
        assert len(topic.partitions) == 50
        assert broker.broker.configs.overrides("__consumer_offsets") == {
            "compression.type": "producer",
            "cleanup.policy": "compact",
            "segment.bytes": "104857600",
        }


@on_event_loop
async def test_log_of_a_kraft_cluster_is_not_made_because_somebody_asks_for_it() -> None:
    async with admin_broker() as broker:
        for _ in range(2):
            (topic,) = (await ask(broker, 12, ["__cluster_metadata"])).topics
            assert topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert not broker.broker.cache.image.topics


@on_event_loop
async def test_missing_topic_is_not_made_when_client_or_broker_do_not_want_it() -> None:
    async with admin_broker() as broker:
        response = await ask(broker, 12, ["nope"], allow_auto_topic_creation=False)
        assert response.topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    async with admin_broker({"auto.create.topics.enable": "false"}) as broker:
        response = await ask(broker, 12, ["nope"])
        assert response.topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert (await ask(broker, 12, None)).topics == []


@pytest.mark.parametrize("version", [1, 9, 13])
@on_event_loop
async def test_broker_that_was_told_nothing_yet_says_of_no_topic_that_it_is_gone(version: int) -> None:
    async with admin_broker() as broker:
        broker.broker.cache.swap(ClusterImage(cluster_id="thZDzCkNTueY2KLrT0plMg"))
        for allowed in (True, False) if version >= 4 else (True,):
            response = await ask(broker, version, ["t", "bad name"], allow_auto_topic_creation=allowed)
            codes = [topic.error_code for topic in response.topics]
            assert codes == [ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.INVALID_TOPIC_EXCEPTION]
        broker.broker.cache.swap(image())
        response = await ask(broker, 12, ["t", "gone"], allow_auto_topic_creation=False)
        assert [topic.error_code for topic in response.topics] == [0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]


@on_event_loop
async def test_names_that_cannot_be_are_refused() -> None:
    async with admin_broker() as broker:
        await ask(broker, 12, ["a_b"])
        for allowed in (True, False):
            response = await ask(broker, 12, ["bad name"], allow_auto_topic_creation=allowed)
            assert response.topics[0].error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
        response = await ask(broker, 12, ["a.b"])
        assert response.topics[0].error_code == ErrorCode.INVALID_TOPIC_EXCEPTION


@on_event_loop
async def test_other_broker_asks_the_controller() -> None:
    async with admin_broker(brokers=(0, 1), at=1) as broker:
        sent = []

        class Forwarder:
            def send(self, broker_id: int, request: Any) -> Any:
                import asyncio

                sent.append((broker_id, request.topics[0].name))
                return asyncio.get_running_loop().create_future()

        from ottla.controller.auto_creation import AutoTopicCreator

        creator = AutoTopicCreator(broker.broker.controller, broker.broker.cache, broker.config, Forwarder())
        for _ in range(2):
            assert await creator.create_missing(["auto"]) == {"auto": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
        assert sent == [(0, "auto")]


def test_answer_is_kept_encoded_until_the_image_changes() -> None:
    class Nobody:
        async def create_missing(self, topics: Any) -> dict[str, ErrorCode]:
            return {}

    cache = MetadataCache(image())
    handlers = MetadataHandlers(cache, Nobody(), lambda: True)

    def answer(version: int = 12, listener: str = "PLAINTEXT") -> Any:
        context = RequestContext(ApiKey.METADATA, version, client=ClientContext(listener))
        return handlers.handle_metadata(context, MetadataRequest(topics=[MetadataRequestTopic(name="t")]))

    first = answer()
    assert isinstance(first, EncodedResponse)
    assert answer() is first
    assert answer(version=9) is not first
    assert answer(listener="SECURE") != first
    cache.swap(cache.image.with_brokers(1, cache.image.brokers))
    assert answer() != first
