"""Where the leaders listen that a response names (KIP-951): who came to the wrong broker goes straight to the other.

Produce and Fetch name the leader beside the error of each partition, and each of these leaders once at the end, as the
client reaches it: by the listener on which it has asked.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from ottla.metadata.image import ClusterImage

NodeEndpoint = TypeVar("NodeEndpoint")


def leader_endpoints(
    image: ClusterImage, listener_name: str, leader_ids: Iterable[int], make: Callable[..., NodeEndpoint]
) -> list[NodeEndpoint]:
    """`make`: the response's own class. A leader that cannot be reached by the listener is left out."""
    named = set(leader_ids)
    return [
        make(node_id=broker.broker_id, host=at.host, port=at.port, rack=broker.rack)
        for broker, at in image.brokers_on(listener_name)
        if broker.broker_id in named
    ]
