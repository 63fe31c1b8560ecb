"""Which topics the members of a consumer group subscribe to: read from their metadata, which is theirs, not ours."""

from collections.abc import Iterable

from ottla.errors import DecodeError
from ottla.protocol.messages.consumer_protocol import ConsumerProtocolSubscription
from ottla.protocol.versioned import decode_versioned


def subscribed_topics(metadata: Iterable[bytes]) -> frozenset[str] | None:
    """All topics together; None when one of the members' metadata is not a consumer's subscription."""
    topics: set[str] = set()
    try:
        for subscription in metadata:
            decoded, _ = decode_versioned(ConsumerProtocolSubscription, subscription, newer_as_latest=True)
            topics.update(decoded.topics)
    except DecodeError:
        return None
    return frozenset(topics)
