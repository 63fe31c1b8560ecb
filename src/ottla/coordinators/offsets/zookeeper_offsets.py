"""Offsets in ZooKeeper, where OffsetCommit 0 and OffsetFetch 0 keep them: `/consumers/G/offsets/T/P`.

The oldest clients share them with the consumers of the manual, which write the same znodes themselves. There is no
coordinator, no group and no generation: whoever writes last is right. A group whose name would reach into another
znode has no offsets here.
"""

from ottla.coordination import paths
from ottla.coordination.errors import CoordinationError, NodeExistsError, NoNodeError
from ottla.coordination.payloads.consumers import decode_offset, encode_offset
from ottla.coordination.session import Session
from ottla.coordination.znode_path import path_problem
from ottla.coordinators.offsets.requests import FetchedOffset
from ottla.errors import ErrorCode
from ottla.model import TopicPartition

NOT_COMMITTED = FetchedOffset(error=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)


class ZooKeeperOffsets:
    def __init__(self, session: Session) -> None:
        self._session = session

    async def commit(self, group_id: str, partition: TopicPartition, offset: int) -> ErrorCode:
        if not _can_be_a_node(group_id):
            return ErrorCode.INVALID_GROUP_ID
        path, data = paths.consumer_offset(group_id, partition), encode_offset(offset)
        try:
            try:
                await self._session.set(path, data)
            except NoNodeError:
                await self._create(path, data)
        except CoordinationError:
            return ErrorCode.UNKNOWN_SERVER_ERROR
        return ErrorCode.NONE

    async def _create(self, path: str, data: bytes) -> None:
        try:
            await self._session.create(path, data, make_parents=True)
        except NodeExistsError:
            await self._session.set(path, data)

    async def fetch(self, group_id: str, partition: TopicPartition) -> FetchedOffset:
        if not _can_be_a_node(group_id):
            return FetchedOffset(error=ErrorCode.INVALID_GROUP_ID)
        path = paths.consumer_offset(group_id, partition)
        try:
            data, _ = await self._session.get(path)
            return FetchedOffset(decode_offset(path, data))
        except NoNodeError:
            return NOT_COMMITTED
        except CoordinationError:
            return FetchedOffset(error=ErrorCode.UNKNOWN_SERVER_ERROR)


def _can_be_a_node(group_id: str) -> bool:
    return group_id != "" and "/" not in group_id and path_problem(f"/{group_id}") is None
