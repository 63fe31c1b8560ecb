"""aiokafka behind a pipe. `api.version` pins it: aiokafka then sees only what a broker of that version offered."""

import asyncio
import logging
import time

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.conn import AIOKafkaConnection
from pipe import from_hex, headers_of, python_settings, record_row, serve

logging.disable(logging.CRITICAL)

# The highest versions of Produce, Fetch, ListOffsets and Metadata that brokers of these versions had.
VERSIONS_MAX = {"0.9": {0: 1, 1: 1, 2: 0, 3: 0}, "0.10": {0: 2, 1: 2, 2: 0, 3: 1}}
VERSIONS_MAX_OTHERS = {8: 2, 9: 1, 10: 0, 11: 0, 12: 0, 13: 0, 14: 0, 15: 0, 16: 0, 18: 0}

look_up_versions = AIOKafkaConnection._do_version_lookup


def pin(version):
    limits = None if version is None else VERSIONS_MAX[str(version)] | VERSIONS_MAX_OTHERS

    async def look_up_and_limit(self):
        await look_up_versions(self)
        if limits is not None:
            self._versions = {
                key: (low, min(high, limits[key])) for key, (low, high) in self._versions.items() if key in limits
            }

    AIOKafkaConnection._do_version_lookup = look_up_and_limit


def settings_of(command):
    settings = python_settings(command)
    pin(settings.pop("api_version", None))
    return settings


async def produce(command):
    producer = AIOKafkaProducer(**{"request_timeout_ms": 20_000} | settings_of(command))
    await producer.start()
    try:
        futures = [await producer.send(row["topic"], **arguments(row)) for row in command["records"]]
        results = [await future for future in futures]
    finally:
        await producer.stop()
    return {"results": [{"partition": r.partition, "offset": r.offset, "timestamp": r.timestamp} for r in results if r]}


def arguments(row):
    found = {"value": from_hex(row["value"]), "key": from_hex(row["key"]), "partition": row["partition"]}
    if headers_of(row):
        found["headers"] = headers_of(row)
    if row["timestamp"] is not None:
        found["timestamp_ms"] = row["timestamp"]
    return found


async def consume(command):
    consumer = AIOKafkaConsumer(
        **{"enable_auto_commit": False, "auto_offset_reset": "none", "group_id": None} | settings_of(command)
    )
    await consumer.start()
    try:
        starts = {TopicPartition(topic, partition): offset for topic, partition, offset in command["partitions"]}
        consumer.assign(list(starts))
        for partition, offset in starts.items():
            consumer.seek(partition, offset)
        rows = []
        deadline = time.monotonic() + command["timeout_ms"] / 1000
        while len(rows) < command["count"] and time.monotonic() < deadline:
            for records in (await consumer.getmany(timeout_ms=100)).values():
                rows += [record_row(record, record.headers or ()) for record in records]
    finally:
        await consumer.stop()
    return {"records": rows}


async def offsets(command):
    consumer = AIOKafkaConsumer(**settings_of(command))
    await consumer.start()
    partition = TopicPartition(command["topic"], command["partition"])
    try:
        if command["at"] == "earliest":
            return {"offset": (await consumer.beginning_offsets([partition]))[partition]}
        if command["at"] == "latest":
            return {"offset": (await consumer.end_offsets([partition]))[partition]}
        found = (await consumer.offsets_for_times({partition: int(command["at"])}))[partition]
        return {"offset": -1 if found is None else found.offset}
    finally:
        await consumer.stop()


def blocking(operation):
    return lambda command: asyncio.run(operation(command))


if __name__ == "__main__":
    serve({"produce": blocking(produce), "consume": blocking(consume), "offsets": blocking(offsets)})
