"""Ctrl-C while Spark starts: the command ends at once, says nothing, and leaves no JVM behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import ottla
from ottla.testing import EmbeddedBroker
from support.eventually import eventually
from support.peers import require_command


def test_interrupt_before_the_jvm_has_connected_leaves_none(tmp_path: Path) -> None:
    require_command("java")
    with EmbeddedBroker() as broker:
        broker.create_topic("clicks")
        with ottla.Producer(broker.bootstrap_servers) as producer:
            producer.send("clicks", b"a click")
        table = f"parquet:{tmp_path / 'table'}"
        command = [sys.executable, "-m", "ottla", "load", "clicks", "--to", table, "-b", broker.bootstrap_servers]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            (jvm,) = eventually(lambda: children(process.pid))
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.strip() == ""
    assert not is_running(jvm)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()] + [
        int(child)
        for thread in Path(f"/proc/{pid}/task").iterdir()
        if thread.name != str(pid)
        for child in (thread / "children").read_text().split()
    ]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
