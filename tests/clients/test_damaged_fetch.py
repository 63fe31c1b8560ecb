"""An answer to a fetch whose records cannot be read: the consumer says so instead of asking for ever."""

import pytest

import ottla
from ottla.clients.consumer import fetcher
from ottla.errors.kafka import CorruptMessageError
from ottla.protocol.messages.fetch import PartitionData
from ottla.testing import EmbeddedBroker


def test_bytes_that_are_no_batch_are_an_error_of_the_next_poll(monkeypatch: pytest.MonkeyPatch) -> None:
    take = fetcher.Fetcher._take_partition

    def damaged(self: fetcher.Fetcher, asked: object, data: PartitionData) -> None:
        data.records = memoryview(b"\0" * 8 + b"\0\0\0\x08" + b"\0" * 12)  # an old message that is too short to be one
        take(self, asked, data)

    with EmbeddedBroker() as broker:
        broker.create_topic("t")
        with ottla.Producer(broker.address) as producer:
            producer.send("t", b"v").result(20)
        monkeypatch.setattr(fetcher.Fetcher, "_take_partition", damaged)
        with ottla.Consumer(broker.address, auto_offset_reset="earliest") as consumer:
            consumer.assign([("t", 0)])
            for _ in range(2):
                with pytest.raises(CorruptMessageError):
                    consumer.poll(10_000)
            monkeypatch.undo()
            assert consumer.poll(10_000) or consumer.poll(10_000)
