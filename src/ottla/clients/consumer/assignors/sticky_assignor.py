"""Sticky: as balanced as can be, and within that every member keeps what it had (KIP-54, KIP-429).

Two forms of one computation. The eager one (`sticky`) tells the leader what it had in its user data:

    OFFSET  SIZE  FIELD
    0       4     number of topics
            ...   topic (int16 length and UTF-8), number of partitions (int32), partitions (int32 each)
            4     generation

The cooperative one (`cooperative-sticky`) relies on the owned partitions of the subscription, and its user data is the
generation alone (4 bytes). Its leader does not give a partition to a new owner before the old one has let go of it: in
the round in which it is taken away nobody has it, and the member that lost it asks for the next round.

What two members claim to own belongs to the one with the higher generation, and to nobody if they are equal.
"""

from collections.abc import Mapping
from struct import Struct, error

from ottla.clients.consumer.assignors.balance import balance
from ottla.clients.consumer.assignors.base import Assignment, Subscription
from ottla.model import TopicPartition

_INT32 = Struct(">i")
_INT16 = Struct(">h")

Owned = dict[str, set[TopicPartition]]


class StickyAssignor:
    name = "sticky"
    is_cooperative = False

    def user_data(self, owned: tuple[TopicPartition, ...], generation_id: int) -> bytes | None:
        return encode_user_data(owned, generation_id) if owned else None

    def assign(self, partitions: Mapping[str, int], members: Mapping[str, Subscription]) -> Assignment:
        claims = {member_id: _claim(subscription) for member_id, subscription in members.items()}
        return balance(partitions, members, resolve_claims(claims, members, partitions))


class CooperativeStickyAssignor:
    name = "cooperative-sticky"
    is_cooperative = True

    def user_data(self, owned: tuple[TopicPartition, ...], generation_id: int) -> bytes | None:
        return _INT32.pack(generation_id)

    def assign(self, partitions: Mapping[str, int], members: Mapping[str, Subscription]) -> Assignment:
        claims = {
            member_id: (subscription.owned, _generation(subscription)) for member_id, subscription in members.items()
        }
        owned = resolve_claims(claims, members, partitions)
        assignment = balance(partitions, members, owned)
        owner_of = {partition: member_id for member_id, had in owned.items() for partition in had}
        # What moves is withheld from its new owner until the old one has let go.
        return {
            member_id: [partition for partition in given if owner_of.get(partition, member_id) == member_id]
            for member_id, given in assignment.items()
        }


def _generation(subscription: Subscription) -> int:
    """The member's generation, from the subscription or, from members that send an older one, from its user data."""
    if subscription.generation_id >= 0 or not subscription.user_data or len(subscription.user_data) < _INT32.size:
        return subscription.generation_id
    return int(_INT32.unpack_from(subscription.user_data)[0])


def _claim(subscription: Subscription) -> tuple[tuple[TopicPartition, ...], int]:
    if not subscription.user_data:
        return (), -1
    return decode_user_data(subscription.user_data)


def resolve_claims(
    claims: Mapping[str, tuple[tuple[TopicPartition, ...], int]],
    members: Mapping[str, Subscription],
    partitions: Mapping[str, int],
) -> Owned:
    """Who owns what, of what exists and is still subscribed to."""
    newest: dict[TopicPartition, int] = {}
    owner: dict[TopicPartition, str | None] = {}
    for member_id, (claimed, generation) in claims.items():
        for partition in claimed:
            known = newest.get(partition)
            if known is None or generation > known:
                newest[partition], owner[partition] = generation, member_id
            elif generation == known:
                owner[partition] = None
    owned: Owned = {member_id: set() for member_id in members}
    for partition, owning in owner.items():
        exists = partition.partition < partitions.get(partition.topic, 0)
        if owning is not None and exists and partition.topic in members[owning].topics:
            owned[owning].add(partition)
    return owned


def encode_user_data(owned: tuple[TopicPartition, ...], generation_id: int) -> bytes:
    by_topic: dict[str, list[int]] = {}
    for topic, partition in owned:
        by_topic.setdefault(topic, []).append(partition)
    parts = [_INT32.pack(len(by_topic))]
    for topic, indexes in by_topic.items():
        name = topic.encode()
        parts += [_INT16.pack(len(name)), name, _INT32.pack(len(indexes)), *map(_INT32.pack, indexes)]
    return b"".join([*parts, _INT32.pack(generation_id)])


def decode_user_data(data: bytes) -> tuple[tuple[TopicPartition, ...], int]:
    """What a member had, and in which generation. Bytes that are something else claim nothing."""
    try:
        return _decode_user_data(data)
    except (error, UnicodeDecodeError, ValueError):
        return (), -1


def _decode_user_data(data: bytes) -> tuple[tuple[TopicPartition, ...], int]:
    owned: list[TopicPartition] = []
    (topics_count,) = _INT32.unpack_from(data)
    position = _INT32.size
    for _ in range(topics_count):
        (length,) = _INT16.unpack_from(data, position)
        position += _INT16.size + length
        topic = data[position - length : position].decode()
        (count,) = _INT32.unpack_from(data, position)
        position += _INT32.size
        if not 0 <= count <= (len(data) - position) // _INT32.size:
            raise ValueError("more partitions than bytes")
        indexes = Struct(f">{count}i").unpack_from(data, position)
        owned.extend(TopicPartition(topic, index) for index in indexes)
        position += 4 * count
    # Version 0 of the user data has no generation.
    generation = _INT32.unpack_from(data, position)[0] if len(data) >= position + 4 else -1
    return tuple(owned), generation
