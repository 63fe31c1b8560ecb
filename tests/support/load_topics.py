"""A broker with topics to load, and loads of them without Spark: for what is about records and tables."""

import itertools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import ottla
from ottla.spark.loader.load import Loader
from ottla.spark.loader.report import LoadReport
from ottla.spark.loader.settings import BUCKETS_DEFAULT, LoadSettings, TableLayout
from ottla.testing import EmbeddedBroker
from support.load_tables import SchedulerHere, open_target

_numbers = itertools.count(1)


class Topic:
    """A fresh topic and the tables that it is loaded into."""

    def __init__(self, broker: EmbeddedBroker, directory: Path, partitions: int = 1) -> None:
        self.broker = broker
        self.directory = directory
        self.name = broker.create_topic(f"load-{next(_numbers)}", partitions=partitions)

    def produce(self, records: Iterable[Any], partition: int = 0, timestamp_ms: int | None = None) -> None:
        """Values; or pairs of key and value. What is no bytes is written as JSON."""
        with ottla.Producer(self.broker.bootstrap_servers) as producer:
            for record in records:
                key, value = record if isinstance(record, tuple) else (b"key", record)
                if value is not None and not isinstance(value, bytes):
                    value = json.dumps(value).encode()
                producer.send(self.name, value, key=key, partition=partition, timestamp_ms=timestamp_ms)

    def settings(self, layout: TableLayout, **others: Any) -> LoadSettings:
        servers = {"bootstrap.servers": self.broker.bootstrap_servers}
        return LoadSettings(topics=(self.name,), client=servers, producer=servers, layout=layout, **others)

    def load(self, kind: str, layout: TableLayout | None = None, **others: Any) -> LoadReport:
        layout = layout or TableLayout()
        loader = Loader(self.settings(layout, **others), open_target(kind, self.directory, layout), SchedulerHere())
        return loader.load()


def upsert_layout(columns: str = "raw") -> TableLayout:
    return TableLayout(mode="upsert", columns=columns, buckets=BUCKETS_DEFAULT)


def records_of(broker: EmbeddedBroker, topic: str) -> list[Any]:
    """Everything that a topic holds."""
    with ottla.Consumer(broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        found: list[Any] = []
        while batch := consumer.poll(timeout_ms=2000 if not found else 200):
            found += batch
        return found
