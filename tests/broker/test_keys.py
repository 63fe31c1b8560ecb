"""Keys of the broker's configuration that reach the code which they are for: a request shows it."""

from collections.abc import Callable

import pytest

from ottla.errors import ErrorCode
from ottla.records.attributes import Codec
from ottla.records.batch import HEADER_SIZE, rewrite_crc
from ottla.testing import EmbeddedBroker
from support.raw_kafka import RawKafka
from support.raw_requests import FETCH_VERSION, batch, fetch_partition, fetch_request, produce, session_request

TOPIC = "t"
PARTITIONS = 10
NEW_SESSION = (0, 0)
FINAL_EPOCH = -1
INLINE, IN_A_THREAD = 100, 100_000


def fetched_sizes(properties: dict[str, int], first_bytes: int) -> list[int]:
    """Of many partitions with about 600 bytes each, but for the first, in one answer."""
    everything = [fetch_partition(0, partition) for partition in range(PARTITIONS)]
    with EmbeddedBroker(properties=properties) as broker:
        broker.create_topic(TOPIC, PARTITIONS)
        with RawKafka(broker.address) as raw:
            for partition in range(PARTITIONS):
                records = batch([bytes(500 if partition else first_bytes)])
                assert produce(raw, TOPIC, records, partition=partition).error_code == ErrorCode.NONE
            response = raw.ask(fetch_request(TOPIC, everything), FETCH_VERSION)
    return [len(part.records) for part in response.responses[0].partitions]


def test_fetch_max_bytes_bounds_an_answer_whatever_the_client_would_take() -> None:
    sizes = fetched_sizes({"fetch.max.bytes": 2000}, first_bytes=500)
    assert sizes[0] > 500
    assert sum(sizes) <= 2000 < sum(fetched_sizes({}, first_bytes=500))


def test_the_first_batch_of_an_answer_may_be_larger_than_fetch_max_bytes_and_comes_alone() -> None:
    sizes = fetched_sizes({"fetch.max.bytes": 2000}, first_bytes=5000)
    assert sizes[0] > 5000
    assert sizes[1:] == [0] * (PARTITIONS - 1)


def test_a_fetcher_gets_no_session_while_all_slots_are_taken() -> None:
    with EmbeddedBroker(properties={"max.incremental.fetch.session.cache.slots": 1}) as broker:
        broker.create_topic(TOPIC)
        with RawKafka(broker.address) as raw:

            def session_id(asked: tuple[int, int]) -> int:
                response = raw.ask(session_request(TOPIC, [fetch_partition(0)], asked), FETCH_VERSION)
                assert response.error_code == ErrorCode.NONE
                return int(response.session_id)

            first = session_id(NEW_SESSION)
            assert first != 0
            assert session_id(NEW_SESSION) == 0
            assert session_id((first, FINAL_EPOCH)) == 0
            assert session_id(NEW_SESSION) not in (0, first)


def damaged_inside(value_bytes: int) -> bytes:
    """What a codec cannot read, under a header and a CRC that are right."""
    records = bytearray(batch([bytes(value_bytes)] * 10, compression=Codec.GZIP))
    records[HEADER_SIZE:] = b"\xff" * (len(records) - HEADER_SIZE)
    rewrite_crc(records, 0)
    return bytes(records)


def cut_off_inside(value_bytes: int) -> bytes:
    """The right codec, and one record fewer than the header says."""
    records = bytearray(batch([bytes(value_bytes)] * 10, compression=Codec.GZIP))
    records[57:61] = (11).to_bytes(4, "big")
    records[23:27] = (10).to_bytes(4, "big")
    rewrite_crc(records, 0)
    return bytes(records)


@pytest.mark.parametrize("value_bytes", [INLINE, IN_A_THREAD])
@pytest.mark.parametrize("damaged", [damaged_inside, cut_off_inside])
def test_compressed_records_are_believed_unless_they_are_to_be_validated(
    damaged: Callable[[int], bytes], value_bytes: int
) -> None:
    for properties, expected in (
        ({}, ErrorCode.NONE),
        ({"ottla.validate.compressed": True}, ErrorCode.INVALID_RECORD),
    ):
        with EmbeddedBroker(properties=properties) as broker:
            broker.create_topic(TOPIC)
            with RawKafka(broker.address) as raw:
                assert produce(raw, TOPIC, damaged(value_bytes)).error_code == expected
                assert produce(raw, TOPIC, batch(compression=Codec.GZIP)).error_code == ErrorCode.NONE
