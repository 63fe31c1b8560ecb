"""What somebody has written and committed before, and no stranger ever names: it must stay so, byte for byte."""

from hostile.batches import Batches, read_batches
from hostile.places import coordinator_address, create_topic, leader_address
from support.raw_group import RawMember, fetch_offset
from support.raw_kafka import RawKafka
from support.raw_requests import batch, new_producer_id, produce

TOPIC = "kept"
GROUP = "keepers"
_COMMITTED = 17
_METADATA = "mine"


class KeptRecords:
    def __init__(self, address: str, replicas: int = 1) -> None:
        create_topic(address, TOPIC, 1, {"segment.bytes": "20000", "retention.ms": "-1"}, replicas)
        with RawKafka(leader_address(address, TOPIC)) as raw:
            for number in range(20):
                assert produce(raw, TOPIC, batch([b"%d " % number * 500] * 3)).error_code == 0
            producer_id = new_producer_id(raw)
            self._sent = batch(producer_id=producer_id, producer_epoch=0, base_sequence=0)
            self._offset = produce(raw, TOPIC, self._sent).base_offset
            self._batches: Batches = read_batches(raw, TOPIC)
        member = RawMember(coordinator_address(address, GROUP), GROUP)
        assert member.commit(TOPIC, _COMMITTED, _METADATA) == "NONE"
        member.close()

    def assert_unchanged(self, address: str) -> None:
        """`address`: any broker of the cluster."""
        with RawKafka(leader_address(address, TOPIC)) as raw:
            again = produce(raw, TOPIC, self._sent)
            assert (again.error_code, again.base_offset) == (0, self._offset), "the producer is not known any more"
            assert read_batches(raw, TOPIC) == self._batches
        with RawKafka(coordinator_address(address, GROUP)) as raw:
            found = fetch_offset(raw, GROUP, TOPIC)
            assert (found.error_code, found.committed_offset, found.metadata) == (0, _COMMITTED, _METADATA)
