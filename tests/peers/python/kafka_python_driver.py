"""kafka-python behind a pipe; PYTHONPATH decides which one (the newest, or 2.3.3, which speaks the oldest versions)."""

import logging
import time

from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from pipe import from_hex, headers_of, python_settings, record_row, serve

logging.disable(logging.CRITICAL)


def settings_of(command):
    settings = python_settings(command)
    version = settings.pop("api_version", None)
    if version is not None:
        settings["api_version"] = tuple(int(part) for part in version.split("."))
    return settings


def produce(command):
    settings = settings_of(command)
    settings.setdefault("max_block_ms", 20_000)
    if settings.get("acks") != "all":
        settings.setdefault("enable_idempotence", False)
    producer = KafkaProducer(**settings)
    try:
        futures = [producer.send(row["topic"], **arguments(row)) for row in command["records"]]
        producer.flush(timeout=30)
        results = [future.get(timeout=30) for future in futures]
    finally:
        producer.close(timeout=5)
    return {"results": [{"partition": r.partition, "offset": r.offset, "timestamp": r.timestamp} for r in results]}


def arguments(row):
    """Headers are left out where there are none: the oldest formats refuse the argument."""
    found = {"value": from_hex(row["value"]), "key": from_hex(row["key"]), "partition": row["partition"]}
    if headers_of(row):
        found["headers"] = headers_of(row)
    if row["timestamp"] is not None:
        found["timestamp_ms"] = row["timestamp"]
    return found


def consume(command):
    consumer = KafkaConsumer(**{"enable_auto_commit": False, "auto_offset_reset": "none"} | settings_of(command))
    try:
        starts = {TopicPartition(topic, partition): offset for topic, partition, offset in command["partitions"]}
        consumer.assign(list(starts))
        for partition, offset in starts.items():
            consumer.seek(partition, offset)
        rows = []
        deadline = time.monotonic() + command["timeout_ms"] / 1000
        while len(rows) < command["count"] and time.monotonic() < deadline:
            for records in consumer.poll(timeout_ms=100).values():
                rows += [record_row(record, record.headers or ()) for record in records]
    finally:
        consumer.close()
    return {"records": rows}


def offsets(command):
    consumer = KafkaConsumer(**settings_of(command))
    partition = TopicPartition(command["topic"], command["partition"])
    try:
        if command["at"] == "earliest":
            return {"offset": consumer.beginning_offsets([partition])[partition]}
        if command["at"] == "latest":
            return {"offset": consumer.end_offsets([partition])[partition]}
        found = consumer.offsets_for_times({partition: int(command["at"])})[partition]
        return {"offset": -1 if found is None else found.offset}
    finally:
        consumer.close()


if __name__ == "__main__":
    serve({"produce": produce, "consume": consume, "offsets": offsets})
