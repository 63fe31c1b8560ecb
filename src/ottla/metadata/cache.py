"""The current image of the cluster on this broker."""

import asyncio
from collections.abc import Callable

from ottla.metadata.image import ClusterImage

Subscriber = Callable[[ClusterImage, ClusterImage], None]


class MetadataCache:
    """Holds one image; whoever asks takes it as a whole. Subscribers get the image before and the one after."""

    def __init__(self, image: ClusterImage | None = None) -> None:
        self.image = image or ClusterImage()
        self._subscribers: list[Subscriber] = []

    def swap(self, image: ClusterImage) -> None:
        before, self.image = self.image, image
        for subscriber in list(self._subscribers):
            subscriber(before, image)

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    async def wait_for(self, condition: Callable[[ClusterImage], bool], timeout_ms: int) -> bool:
        """True as soon as an image satisfies the condition; False when none did in time."""
        if condition(self.image):
            return True
        if timeout_ms <= 0:
            return False
        satisfied: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def check(_: ClusterImage, image: ClusterImage) -> None:
            if not satisfied.done() and condition(image):
                satisfied.set_result(None)

        unsubscribe = self.subscribe(check)
        try:
            await asyncio.wait_for(satisfied, timeout_ms / 1000)
        except TimeoutError:
            return False
        finally:
            unsubscribe()
        return True
