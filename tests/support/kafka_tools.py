"""Apache Kafka's own command line tools in one JVM (`tests/peers/java/Tools.java`), to be compared with ours."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from support.peers import PEERS, kafka_classpath, require_command, require_path

CLASSES = {
    "kafka-topics": "org.apache.kafka.tools.TopicCommand",
    "kafka-configs": "kafka.admin.ConfigCommand",
    "kafka-consumer-groups": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "kafka-console-consumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "kafka-console-producer": "kafka.tools.ConsoleProducer",
    "kafka-dump-log": "kafka.tools.DumpLogSegments",
    "kafka-get-offsets": "org.apache.kafka.tools.GetOffsetShell",
    "kafka-delete-records": "org.apache.kafka.tools.DeleteRecordsCommand",
    "kafka-leader-election": "org.apache.kafka.tools.LeaderElectionCommand",
    "kafka-log-dirs": "org.apache.kafka.tools.LogDirsCommand",
    "kafka-broker-api-versions": "kafka.admin.BrokerApiVersionsCommand",
    "kafka-cluster": "org.apache.kafka.tools.ClusterTool",
    "kafka-features": "org.apache.kafka.tools.FeatureCommand",
    "kafka-producer-perf-test": "org.apache.kafka.tools.ProducerPerformance",
    "kafka-consumer-perf-test": "org.apache.kafka.tools.ConsumerPerformance",
    "kafka-verifiable-producer": "org.apache.kafka.tools.VerifiableProducer",
    "kafka-verifiable-consumer": "org.apache.kafka.tools.VerifiableConsumer",
    "kafka-replica-verification": "org.apache.kafka.tools.ReplicaVerificationTool",
}


class Ended(NamedTuple):
    code: int
    stdout: str
    stderr: str


class KafkaTools:
    """Each call runs one tool to its end."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(self, name: str, *arguments: str, stdin: str = "") -> Ended:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        command = {"class": CLASSES[name], "args": list(arguments), "stdin": stdin}
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return Ended(answer["code"], answer["stdout"], answer["stderr"])


@contextmanager
def kafka_tools() -> Iterator[KafkaTools]:
    require_path(PEERS / "java" / "Tools.class")
    command = [
        require_command("java"), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
        "-Dlog4j.defaultInitOverride=true", "-cp", kafka_classpath("3.9.1"), "Tools",
    ]  # fmt: skip
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield KafkaTools(process)
        finally:
            process.kill()
