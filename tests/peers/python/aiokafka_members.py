"""aiokafka's consumer in groups, behind a pipe. Its event loop runs in a thread, so that it beats between commands."""

import asyncio
import contextlib
import logging
import threading
import time

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
from members import Events, serve_members
from pipe import python_settings, record_row

logging.disable(logging.CRITICAL)

ASSIGNORS = {
    "range": RangePartitionAssignor,
    "roundrobin": RoundRobinPartitionAssignor,
    "sticky": StickyPartitionAssignor,
}
LOOP = asyncio.new_event_loop()


def on_loop(operation):
    return asyncio.run_coroutine_threadsafe(operation, LOOP).result()


class Listener(ConsumerRebalanceListener):
    def __init__(self, events):
        self._events = events

    async def on_partitions_revoked(self, revoked):
        self._events.note("revoked", revoked)

    async def on_partitions_assigned(self, assigned):
        self._events.note("assigned", assigned)


class Member:
    def __init__(self, command):
        self.events = Events()
        on_loop(self._open(command))

    async def _open(self, command):
        settings = python_settings(command)
        strategy = settings.pop("partition_assignment_strategy", "range")
        self._consumer = AIOKafkaConsumer(**settings, partition_assignment_strategy=[ASSIGNORS[strategy]])
        topics, pattern = command.get("topics") or (), command.get("pattern")
        self._consumer.subscribe(topics=topics, pattern=pattern, listener=Listener(self.events))
        # Starting waits for the group, and the group perhaps for another member of this process.
        self._started = asyncio.ensure_future(self._consumer.start())

    def poll(self, count, timeout_s):
        return on_loop(self._poll(count, time.monotonic() + timeout_s))

    async def _poll(self, count, deadline):
        rows = []
        while (left := deadline - time.monotonic()) > 0 and len(rows) < count:
            if not self._started.done():
                await asyncio.wait([self._started], timeout=left)
                continue
            # While its group forms, getmany waits longer than it was told to.
            with contextlib.suppress(TimeoutError):
                for records in (await asyncio.wait_for(self._consumer.getmany(timeout_ms=50), left)).values():
                    rows += [record_row(record, ()) for record in records]
        return rows

    def assignment(self):
        return self._consumer.assignment()

    def commit(self):
        on_loop(self._consumer.commit())

    def commit_async(self):
        asyncio.run_coroutine_threadsafe(self._consumer.commit(), LOOP)

    def committed(self, topic, partition):
        found = on_loop(self._consumer.committed(TopicPartition(topic, partition)))
        return -1 if found is None else found

    def seek(self, topic, partition, offset):
        LOOP.call_soon_threadsafe(self._consumer.seek, TopicPartition(topic, partition), offset)

    def pause(self):
        LOOP.call_soon_threadsafe(lambda: self._consumer.pause(*self._consumer.assignment()))

    def resume(self):
        LOOP.call_soon_threadsafe(lambda: self._consumer.resume(*self._consumer.assignment()))

    def close(self):
        on_loop(self._close())

    async def _close(self):
        await self._started
        await self._consumer.stop()


if __name__ == "__main__":
    threading.Thread(target=LOOP.run_forever, daemon=True).start()
    serve_members(Member)
