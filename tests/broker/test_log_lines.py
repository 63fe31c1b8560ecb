"""What a broker says at INFO: how it started, what was changed and by whom, how it stopped; no line per partition."""

import gc
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import ottla
from ottla.broker.broker import Broker
from ottla.broker.process import log_configuration
from ottla.clients.admin.types import ConfigResource
from ottla.config import BrokerConfig
from ottla.errors import LogDirError
from support.broker import OttlaProcess, running
from support.eventually import eventually
from support.loops import on_loop

OFFSETS_PARTITIONS = 50


def lines_in(path: Path) -> list[str]:
    return path.read_text().splitlines()


def added_to(path: Path, action: Callable[[], object]) -> list[str]:
    before = len(lines_in(path))
    action()
    return lines_in(path)[before:]


def has_line(lines: list[str], *parts: str) -> bool:
    return any(all(part in line for part in parts) for line in lines)


def read_as_group(address: str, topic: str) -> None:
    with ottla.Consumer(address, group_id="readers", auto_offset_reset="earliest") as consumer:
        consumer.subscribe([topic])
        assert eventually(lambda: consumer.poll(1000))


def test_start_changes_first_group_and_stop_are_a_few_lines_each(tmp_path: Path) -> None:
    properties = {"offsets.topic.num.partitions": str(OFFSETS_PARTITIONS), "num.partitions": "3"}
    broker = OttlaProcess(tmp_path, properties)
    log = broker.output
    with running(broker):
        started = lines_in(log)
        assert len(started) <= 15, "\n".join(started)
        assert has_line(started, f"Ottla {ottla.__version__} starts")
        assert has_line(started, "configuration: ", "num.partitions=3", f"log.dirs={broker.log_dir}")
        assert has_line(started, f"log directory {broker.log_dir}: 0 partitions")
        assert has_line(started, "broker 0 of cluster", f"is up on PLAINTEXT://{broker.address}", "started in")
        changed = added_to(log, lambda: change(broker.address))
        assert len(changed) <= 8, "\n".join(changed)
        who = "asked by client operator"
        assert has_line(changed, "topic clicks (2 partitions, replication factor 1, retention.ms=5) is created", who)
        assert has_line(changed, "topic clicks has 4 partitions now", who, " at 127.0.0.1:")
        assert has_line(changed, "config of topic clicks is altered: retention.ms=9", who)
        assert has_line(changed, "config of broker 0 is altered: log.cleaner.threads=1", who)
        assert has_line(changed, "topic clicks is being deleted", who)
        assert has_line(changed, "topic clicks is deleted")
        with ottla.Producer(broker.address) as producer:
            producer.send("views", b"value").result(30)
        grouped = added_to(log, lambda: read_as_group(broker.address, "views"))
        assert len(grouped) <= 10, "\n".join(grouped)
        assert has_line(grouped, "__consumer_offsets", f"({OFFSETS_PARTITIONS} partitions")
        stopped = added_to(log, broker.stop)
        assert len(stopped) <= 6, "\n".join(stopped)
        again = added_to(log, broker.start)
        assert len(again) <= 15, "\n".join(again)
        assert has_line(again, f"log directory {broker.log_dir}: {OFFSETS_PARTITIONS + 3} partitions, 0 bytes")


def change(address: str) -> None:
    with ottla.Admin(address, client_id="operator") as admin:
        admin.create_topic("clicks", 2, 1, {"retention.ms": "5"})
        admin.create_partitions({"clicks": 4}).check()
        admin.alter_configs({ConfigResource.topic("clicks"): {"retention.ms": "9"}}).check()
        admin.alter_configs({ConfigResource.broker(0): {"log.cleaner.threads": "1"}}).check()
        admin.delete_topics(["clicks"])


def test_every_key_is_logged_at_debug_and_only_what_was_set_at_info(caplog: pytest.LogCaptureFixture) -> None:
    config = BrokerConfig.load({"num.partitions": "3", "ottla.zookeeper.auth": "user:swordfish", "num.io.threads": "2"})
    caplog.set_level(logging.DEBUG, logger="ottla")
    log_configuration(config)
    by_level = {level: [r.getMessage() for r in caplog.records if r.levelno == level] for level in (10, 20, 30)}
    assert len(by_level[logging.DEBUG]) == len(list(config.describe()))
    assert "* num.partitions = 3" in by_level[logging.DEBUG]
    given = "num.io.threads=2, num.partitions=3, ottla.zookeeper.auth=[hidden]"
    assert by_level[logging.INFO][0] == f"configuration: {given}"
    assert len(by_level[logging.INFO]) == 2
    assert "swordfish" not in caplog.text


@on_loop
async def test_a_log_directory_that_cannot_be_used_is_one_error_and_nothing_after_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_bytes(b"")
    broker = Broker(BrokerConfig.load({"log.dirs": f"{tmp_path}/file/logs", "listeners": "PLAINTEXT://localhost:0"}))
    with pytest.raises(LogDirError, match="none of the log directories can be used"):
        await broker.start()
    await broker.stop()
    del broker
    gc.collect()
    (error,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert "Not a directory" in error


def test_a_cluster_stops_without_a_warning(tmp_path: Path) -> None:
    """In a process whose logging nobody has set up, as it is in a script: warnings would go to standard error."""
    script = """
import ottla, sys
from ottla.testing import EmbeddedBroker
with EmbeddedBroker(brokers=3, directory=sys.argv[1]) as broker:
    broker.create_topic("clicks", 3, 3)
    with ottla.Producer(broker.bootstrap_servers) as producer:
        producer.send("clicks", b"value").result(30)
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
