"""What members of a group tell each other, as bytes: subscriptions to the leader, assignments from it."""

from collections.abc import Iterable

from ottla.clients.by_topic import partitions_by_topic
from ottla.clients.consumer.assignors import Subscription
from ottla.model import TopicPartition
from ottla.protocol.messages.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolAssignmentTopicPartition,
    ConsumerProtocolSubscription,
    ConsumerProtocolSubscriptionTopicPartition,
)
from ottla.protocol.versioned import decode_versioned, encode_versioned

PROTOCOL_TYPE = "consumer"
SUBSCRIPTION_VERSION = 3
ASSIGNMENT_VERSION = 3


def encode_subscription(subscription: Subscription) -> bytes:
    message = ConsumerProtocolSubscription(
        topics=sorted(subscription.topics),
        user_data=subscription.user_data,
        owned_partitions=[
            ConsumerProtocolSubscriptionTopicPartition(topic=topic, partitions=indexes)
            for topic, indexes in partitions_by_topic(subscription.owned).items()
        ],
        generation_id=subscription.generation_id,
        rack_id=subscription.rack,
    )
    return encode_versioned(message, SUBSCRIPTION_VERSION)


def decode_subscription(data: bytes, group_instance_id: str | None) -> Subscription:
    message, _ = decode_versioned(ConsumerProtocolSubscription, data, newer_as_latest=True)
    owned = tuple(
        TopicPartition(topic.topic, index) for topic in message.owned_partitions for index in topic.partitions
    )
    return Subscription(
        tuple(message.topics), owned, message.user_data, message.generation_id, group_instance_id, message.rack_id
    )


def encode_assignment(partitions: Iterable[TopicPartition]) -> bytes:
    message = ConsumerProtocolAssignment(
        assigned_partitions=[
            ConsumerProtocolAssignmentTopicPartition(topic=topic, partitions=indexes)
            for topic, indexes in partitions_by_topic(partitions).items()
        ]
    )
    return encode_versioned(message, ASSIGNMENT_VERSION)


def decode_assignment(data: bytes) -> tuple[TopicPartition, ...]:
    if not data:
        return ()
    message, _ = decode_versioned(ConsumerProtocolAssignment, data, newer_as_latest=True)
    return tuple(
        TopicPartition(topic.topic, index) for topic in message.assigned_partitions for index in topic.partitions
    )
