import asyncio
import uuid

from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import ClusterImage, TopicImage
from support.coroutines import on_event_loop


def topic(name: str, number: int) -> TopicImage:
    return TopicImage(name, uuid.UUID(int=number), {})


def test_subscribers_get_the_image_before_and_after() -> None:
    cache, seen = MetadataCache(), []
    unsubscribe = cache.subscribe(lambda before, after: seen.append((before, after)))
    first, second = cache.image, ClusterImage(controller_id=3)
    cache.swap(second)
    unsubscribe()
    cache.swap(first)
    assert seen == [(first, second)]


def test_topic_made_again_under_the_same_name_is_found_by_its_new_id_only() -> None:
    image = ClusterImage().with_topics([topic("t", 1)])
    again = image.with_topics([topic("t", 2)])
    assert set(again.topics_by_id) == {uuid.UUID(int=2)}
    assert set(image.topics_by_id) == {uuid.UUID(int=1)}
    assert again.with_topics([], ["t"]).topics_by_id == {}


@on_event_loop
async def test_waiting_ends_with_the_image_that_satisfies() -> None:
    cache = MetadataCache()
    waiting = asyncio.ensure_future(cache.wait_for(lambda image: "t" in image.topics, 30_000))
    await asyncio.sleep(0)
    cache.swap(ClusterImage(controller_id=1))
    assert not waiting.done()
    cache.swap(cache.image.with_topics([topic("t", 1)]))
    assert await waiting


@on_event_loop
async def test_waiting_ends_when_time_is_over() -> None:
    cache = MetadataCache()
    assert not await cache.wait_for(lambda image: False, 0)
    assert not await cache.wait_for(lambda image: False, 1)
