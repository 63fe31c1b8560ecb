"""The response to a Fetch. With one partition that has only records, and few of them, it is packed without messages.

A consumer at the end of a partition waits for nearly every record that it gets, and until its response has left, the
record is on its way. Most responses to consumers are of this kind.
"""

from ottla.handlers.context import ClientContext, EncodedResponse
from ottla.handlers.leader_endpoints import leader_endpoints
from ottla.protocol.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)
from ottla.protocol.single_element import SingleElementPacker, Template
from ottla.replication.fetch_reader import FetchEntry, PartitionRead, Reads
from ottla.replication.replica_manager import ReplicaManager

TEMPLATES_MAX = 10_000
_FIELDS = (
    "throttle_time_ms",
    "session_id",
    "partition_index",
    "high_watermark",
    "last_stable_offset",
    "log_start_offset",
)
_TemplateKey = tuple[str, int, bool]


class FetchResponses:
    """Of one version."""

    __slots__ = ("_packer", "_replicas", "_templates")

    def __init__(self, version: int, replicas: ReplicaManager) -> None:
        self._replicas = replicas
        self._packer = SingleElementPacker(FetchResponse, version, _FIELDS, "records")
        self._templates: dict[_TemplateKey, Template] = {}

    def make(self, client: ClientContext, session_id: int, reads: Reads) -> FetchResponse | EncodedResponse:
        if len(reads) == 1:
            entry, read = reads[0]
            if read.is_plain:
                key = (entry.topic, entry.topic_id.int, read.aborted_transactions is None)
                return self._packer.pack(
                    self._templates.get(key) or self._make_template(key, entry, read),
                    0,
                    session_id,
                    entry.partition_index,
                    read.high_watermark,
                    read.last_stable_offset,
                    read.log_start_offset,
                    read.records,
                )
        response = FetchResponse(session_id=session_id, responses=_topics(reads))
        named = [read.current_leader[0] for _, read in reads if read.current_leader is not None]
        if named:
            image = self._replicas.image
            response.node_endpoints = leader_endpoints(image, client.listener_name, named, NodeEndpoint)
        return response

    def _make_template(self, key: _TemplateKey, entry: FetchEntry, read: PartitionRead) -> Template:
        if len(self._templates) >= TEMPLATES_MAX:
            self._templates.clear()
        response = FetchResponse(responses=_topics([(entry, read)]))
        template = self._templates[key] = self._packer.template(response)
        return template


def _topics(reads: Reads) -> list[FetchableTopicResponse]:
    topics: list[FetchableTopicResponse] = []
    last_key: object = None
    for entry, read in reads:
        key = (entry.topic, entry.topic_id)
        if key != last_key:
            topics.append(FetchableTopicResponse(topic=entry.topic, topic_id=entry.topic_id, partitions=[]))
            last_key = key
        topics[-1].partitions.append(_partition(entry, read))
    return topics


def _partition(entry: FetchEntry, read: PartitionRead) -> PartitionData:
    data = PartitionData(
        partition_index=entry.partition_index,
        error_code=read.error_code,
        high_watermark=read.high_watermark,
        last_stable_offset=read.last_stable_offset,
        log_start_offset=read.log_start_offset,
        aborted_transactions=None,
        preferred_read_replica=read.preferred_read_replica,
        records=read.records,
    )
    if read.aborted_transactions is not None:
        data.aborted_transactions = [
            AbortedTransaction(producer_id=aborted.producer_id, first_offset=aborted.first_offset)
            for aborted in read.aborted_transactions
        ]
    if read.diverging_epoch is not None:
        epoch, end_offset = read.diverging_epoch
        data.diverging_epoch = EpochEndOffset(epoch=epoch, end_offset=end_offset)
    if read.current_leader is not None:
        leader_id, leader_epoch = read.current_leader
        data.current_leader = LeaderIdAndEpoch(leader_id=leader_id, leader_epoch=leader_epoch)
    return data
