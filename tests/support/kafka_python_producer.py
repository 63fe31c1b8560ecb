"""kafka-python's producer in a process of its own: what it did, for the checker."""

import json
import subprocess
import sys
import threading

from checker.rules import Operation
from support.cluster import Cluster
from support.drivers.pipe import PYTHON_PROGRAMS


class KafkaPythonRecordingProducer(threading.Thread):
    """Sends "kafka-python:0", "kafka-python:1", ... with acks=all until it is told to stop."""

    def __init__(self, cluster: Cluster, topic: str, *, idempotent: bool, pause_s: float = 0.005) -> None:
        super().__init__(name="kafka-python", daemon=True)
        self.history: list[Operation] = []
        self._topic = topic
        program = str(PYTHON_PROGRAMS / "kafka_python_recorder.py")
        kind = "idempotent" if idempotent else "plain"
        command = [sys.executable, "-W", "ignore", program, cluster.bootstrap, topic, kind, str(pause_s)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def run(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            told = json.loads(line)
            times = told["invoke"], told["complete"]
            key = f"{self._topic}-0"
            self.history.append(Operation("send", key, told["value"], told["offset"], self.name, told["kind"], *times))

    def finish(self) -> list[Operation]:
        """SIGTERM: it sends what it has and ends."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait(120)
        if self.is_alive():
            self.join(60)
        if self._process.stdout is not None:
            self._process.stdout.close()
        return self.history
