"""Servers under Kafka's script names, classes by name, and a look into ZooKeeper."""

import socket
import subprocess
import sys
from pathlib import Path

import ottla as clients
from ottla.testing import EmbeddedBroker
from support.command import Ottla, run_here
from support.eventually import eventually
from support.ports import free_port


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_servers_start_in_the_background_and_stop_by_their_file(tmp_path: Path) -> None:
    zookeeper_port, port = free_port(), free_port()
    zookeeper, server = tmp_path / "zookeeper.properties", tmp_path / "server.properties"
    zookeeper.write_text(f"dataDir={tmp_path}/zookeeper\nclientPort={zookeeper_port}\n")
    server.write_text(f"port={port}\nlog.dir={tmp_path}/logs\nzookeeper.connect=127.0.0.1:{zookeeper_port}\n")
    here = Ottla(as_process=True)
    try:
        here("zookeeper-server-start", "-daemon", str(zookeeper))
        eventually(lambda: answers(zookeeper_port))
        here("kafka-server-start.sh", "-daemon", str(server), "--override", "broker.id=7")
        eventually(lambda: answers(port))
        assert Ottla(f"127.0.0.1:{port}").rows("brokers")[0]["broker"] == 7
    finally:
        stopped = here.run("kafka-server-stop", str(server))
        eventually(lambda: not answers(port))
        zookeeper_stopped = here.run("zookeeper-server-stop", str(zookeeper))
        eventually(lambda: not answers(zookeeper_port))
    assert (stopped.returncode, zookeeper_stopped.returncode) == (0, 0)
    again = here.run("kafka-server-stop", str(server))
    assert (again.returncode, again.stdout) == (1, "No kafka server to stop\n")


def test_server_runs_in_the_foreground(tmp_path: Path) -> None:
    server = tmp_path / "server.properties"
    server.write_text(f"listeners=PLAINTEXT://127.0.0.1:0\nlog.dir={tmp_path}/logs\nottla.zookeeper.port=0\n")
    command = [sys.executable, "-m", "ottla", "kafka-server-start", str(server)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any("is up on" in line for line in process.stderr)
        process.terminate()
        process.communicate(timeout=30)
    assert process.returncode == 0


def test_classes_of_the_manual_by_name(broker: EmbeddedBroker) -> None:
    broker.create_topic("rc-topic", partitions=2)
    with clients.Producer(broker.bootstrap_servers) as producer:
        producer.send_many("rc-topic", [b"value"] * 3, partition=0)
    with clients.Admin(broker.bootstrap_servers) as admin:
        offsets = {clients.TopicPartition("rc-topic", number): 0 for number in range(2)}
        admin.alter_group_offsets("my-group", offsets).check()
    shell = ("--broker-list", broker.bootstrap_servers, "--topic", "rc-topic", "--time", "-1")
    assert run_here("run-class", "kafka.tools.GetOffsetShell", *shell).stdout == "rc-topic:0:3\nrc-topic:1:0\n"
    checker = ("--zkconnect", broker.zookeeper_connect, "--group", "my-group")
    assert run_here("kafka-run-class", "kafka.tools.ConsumerOffsetChecker", *checker).stdout == (
        "Group           Topic                          Pid Offset          logSize         Lag             Owner\n"
        "my-group        rc-topic                       0   0               3               3               none\n"
        "my-group        rc-topic                       1   0               0               0               none\n"
    )
    assert run_here("kafka-run-class", "kafka.tools.Nonsense").code == 1


def test_zookeeper_shell(ottla: Ottla, broker: EmbeddedBroker) -> None:
    connect = broker.zookeeper_connect
    assert ottla("zookeeper-shell", connect, "ls", "/brokers/ids") == f"Connecting to {connect}\n[0]\n"
    lines = "create /shell-test hello\nget /shell-test\nset /shell-test again\nget -s /shell-test\ndelete /shell-test\n"
    said = ottla("zookeeper", "shell", connect, stdin=lines)
    assert said.startswith("Created /shell-test\nhello\nagain\ncZxid = 0x")
    assert "dataVersion = 1" in said
    assert ottla("zookeeper", "shell", connect, "getAcl", "/brokers") == "'world,'anyone\n: cdrwa\n"
    assert "Node does not exist: /nothing" in ottla.fails("zookeeper", "shell", connect, "get", "/nothing")
    assert "Command not found" in ottla.fails("zookeeper", "shell", connect, "nonsense")
