"""kafka-python's producer: sends "kafka-python:0", "kafka-python:1", ... with acks=all until SIGTERM.

Arguments: bootstrap servers, topic, "idempotent" or "plain", seconds between records. Prints one JSON line for each
record when its outcome is known: value, kind ("ok" or "info"), offset, and when it was sent and answered, in
nanoseconds of the machine's monotonic clock.
"""

import json
import queue
import signal
import sys
import threading
import time

from kafka import KafkaProducer

bootstrap, topic, kind, pause = sys.argv[1:]
stopping = threading.Event()
lines: "queue.SimpleQueue[dict | None]" = queue.SimpleQueue()
signal.signal(signal.SIGTERM, lambda *_: stopping.set())
producer = KafkaProducer(
    bootstrap_servers=bootstrap.split(","),
    acks="all",
    enable_idempotence=kind == "idempotent",
    linger_ms=1,
    request_timeout_ms=10_000,
    delivery_timeout_ms=60_000,
    metadata_max_age_ms=2000,
    reconnect_backoff_max_ms=500,
)


def note(value, invoked, outcome, offset):
    lines.put({"value": value, "kind": outcome, "offset": offset, "invoke": invoked, "complete": time.monotonic_ns()})


def write():
    while (line := lines.get()) is not None:
        print(json.dumps(line), flush=True)


def send(value):
    invoked = time.monotonic_ns()
    sent = producer.send(topic, value.encode(), partition=0)
    sent.add_callback(lambda metadata: note(value, invoked, "ok", metadata.offset))
    sent.add_errback(lambda _: note(value, invoked, "info", -1))


writer = threading.Thread(target=write)
writer.start()
number = 0
while not stopping.wait(float(pause)):
    send(f"kafka-python:{number}")
    number += 1
producer.flush(90)
producer.close(10)
lines.put(None)
writer.join()
