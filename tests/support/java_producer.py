"""Kafka's own verifiable producer (Java) beside the recording ones: what it was told, for the checker."""

import json
import subprocess
import threading
import time
from pathlib import Path

from checker.rules import Operation
from support.cluster import Cluster
from support.peers import kafka_classpath, require_command

_CLASS = "org.apache.kafka.tools.VerifiableProducer"
_IN_FLIGHT_MAX = 20_000


class JavaRecordingProducer(threading.Thread):
    """Sends "PREFIX.0", "PREFIX.1", ... with acks=all until it is told to stop."""

    def __init__(self, cluster: Cluster, topic: str, *, idempotent: bool, prefix: int = 7, rate: int = 150) -> None:
        super().__init__(name=f"java-{prefix}", daemon=True)
        self.history: list[Operation] = []
        self._topic = topic
        self._prefix = prefix
        self._config = Path(cluster.zookeeper.directory, f"{self.name}.properties")
        self._config.write_text(
            f"retries=2147483647\nenable.idempotence={str(idempotent).lower()}\n"
            "delivery.timeout.ms=60000\nrequest.timeout.ms=10000\nreconnect.backoff.max.ms=500\n"
        )
        command = [
            require_command("java"), "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
            "-Dlog4j.defaultInitOverride=true", "-cp", kafka_classpath("3.9.1"), _CLASS,
            "--bootstrap-server", cluster.bootstrap, "--topic", topic, "--throughput", str(rate),
            "--value-prefix", str(prefix), "--producer.config", str(self._config),
        ]  # fmt: skip
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def run(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                self._take(json.loads(line))

    def _take(self, event: dict[str, object]) -> None:
        if event["name"] == "producer_send_success":
            self.history.append(self._operation(str(event["value"]), "ok", int(str(event["offset"]))))
        elif event["name"] == "producer_send_error":
            self.history.append(self._operation(str(event["value"]), "info", -1))

    def _operation(self, value: str, kind: str, offset: int) -> Operation:
        """When it was sent is not said: the whole run long, so that no order follows from it."""
        return Operation("send", f"{self._topic}-0", value, offset, self.name, kind, 0, time.monotonic_ns())

    def finish(self) -> list[Operation]:
        """SIGTERM: it sends what it has and ends. What was not answered may be there or not."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait(90)
        if self.is_alive():
            self.join(60)
        if self._process.stdout is not None:
            self._process.stdout.close()
        return self.history + self._unanswered()

    def _unanswered(self) -> list[Operation]:
        told = {int(op.value.rpartition(".")[2]) for op in self.history}
        end = max(told, default=-1) + _IN_FLIGHT_MAX
        return [self._operation(f"{self._prefix}.{n}", "info", -1) for n in range(end) if n not in told]
