"""Topics of one measurement: made before it, deleted after it, so that neither broker carries the past along."""

import contextlib
import itertools
import logging
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

_numbers = itertools.count(1)
TIMEOUT_S = 30.0


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@contextlib.contextmanager
def temporary_topic(port: int, partitions: int = 1, **config: str) -> Iterator[str]:
    """A new topic on the broker at `port`. What is dirty in the page cache is written before the measurement begins."""
    admin = AdminClient({"bootstrap.servers": f"127.0.0.1:{port}", "log_level": 0}, logger=logging.getLogger("bench"))
    topic = f"bench-{next(_numbers)}"
    keys = {key.replace("_", "."): value for key, value in config.items()}
    _create(admin, NewTopic(topic, partitions, 1, config=keys))
    _wait_until_led(admin, topic, partitions)
    os.sync()
    try:
        yield topic
    finally:
        admin.delete_topics([topic])[topic].result(TIMEOUT_S)


def _create(admin: AdminClient, topic: NewTopic) -> None:
    """A broker that was paused for longer than its session needs a moment until it is the controller again."""
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        try:
            admin.create_topics([topic])[topic.topic].result(TIMEOUT_S)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.NOT_CONTROLLER or time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def _wait_until_led(admin: AdminClient, topic: str, partitions: int) -> None:
    """A topic is there when its creation is answered; that the broker knows it leads it may come a little later."""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        found = admin.list_topics(topic, timeout=TIMEOUT_S).topics[topic].partitions
        if len(found) == partitions and all(part.leader >= 0 for part in found.values()):
            return
        time.sleep(0.01)
    raise TimeoutError(f"{topic} has no leader after {TIMEOUT_S:.0f} s")


def drop_from_page_cache(files: list[Path]) -> None:
    """Write the files out and have the kernel forget them, so that the next read comes from the disk."""
    for path in files:
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
