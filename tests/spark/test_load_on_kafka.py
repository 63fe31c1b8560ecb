"""Loads from Apache Kafka, transactions included."""

from pathlib import Path

import confluent_kafka
import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from ottla.spark.loader.load import Loader
from ottla.spark.loader.settings import LoadSettings, TableLayout
from support.kafka import kafka_broker
from support.load_tables import SchedulerHere, open_target, read_table


@pytest.mark.long
def test_committed_records_of_apache_kafka_are_loaded_once_and_aborted_ones_never(tmp_path: Path) -> None:
    with kafka_broker("4.3.0") as kafka:
        servers = {"bootstrap.servers": kafka.address}
        admin = AdminClient(servers)
        admin.create_topics([NewTopic("payments", 1, 1)])["payments"].result()
        producer = confluent_kafka.Producer(servers | {"transactional.id": "till", "log_level": 0})
        producer.init_transactions()
        settings = LoadSettings(topics=("payments",), client=servers | {"isolation.level": "read_committed"})
        for number in range(4):
            producer.begin_transaction()
            for item in range(5):
                producer.produce("payments", f"{number}-{item}".encode())
            producer.abort_transaction() if number % 2 else producer.commit_transaction()
            Loader(settings, open_target("parquet", tmp_path, TableLayout()), SchedulerHere()).load()
    values = sorted(read_table("parquet", tmp_path).column("value").to_pylist())
    assert values == [b"%d-%d" % (number, item) for number in (0, 2) for item in range(5)]
