"""A standalone Spark cluster from the pip package: a master and workers as processes, that can be killed.

Each worker has its own working directory and its own Python environment, which has pyspark and pyarrow but not Ottla:
as on a cluster that somebody else looks after. Each has an address of its own too (127.0.0.1, 127.0.0.2): Spark starts
no speculative task on the host that runs the first.
"""

import os
import signal
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from support.eventually import eventually
from support.peers import require_command
from support.ports import free_port

PACKAGES = ("pyspark", "py4j", "pyarrow")
START_SECONDS_MAX = 60
JVM = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def package_directory(name: str) -> Path:
    spec = find_spec(name)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(next(iter(spec.submodule_search_locations)))


def bare_environment(directory: Path) -> Path:
    """A Python environment with what Spark needs and nothing of ours; the directory of its programs."""
    venv.create(directory, with_pip=False, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for name in PACKAGES:
        (directory / "lib" / version / "site-packages" / name).symlink_to(package_directory(name))
    programs = directory / "bin"
    found = subprocess.run(
        [programs / "python3", "-c", "import pyarrow, pyspark, ottla"], capture_output=True, text=True
    )
    assert "No module named 'ottla'" in found.stderr, found.stderr
    return programs


def driver_environment() -> dict[str, str]:
    """For the driver's process: `python3` is ours for it, and the worker's own for an executor."""
    programs = Path(sys.executable).parent
    return _clean_environment() | {"PYSPARK_PYTHON": "python3", "PATH": f"{programs}:{os.environ['PATH']}"}


def _clean_environment() -> dict[str, str]:
    """Ours without what a session in this process has put there: it would tell executors to use our Python."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYSPARK", "PYTHON"))}


class Daemon:
    """A master or worker: one process group, so that its executors die with it."""

    def __init__(self, directory: Path, arguments: list[str], programs: Path | None = None) -> None:
        directory.mkdir(parents=True)
        self._output = directory / "output"
        environment = _clean_environment()
        if programs is not None:
            environment["PATH"] = f"{programs}:{environment['PATH']}"
        home = package_directory("pyspark")
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                [str(home / "bin" / "spark-class"), *arguments],
                env=environment | JVM | {"SPARK_HOME": str(home)},
                stdout=output, stderr=output, cwd=directory, start_new_session=True,
            )  # fmt: skip

    def said(self, text: str) -> int:
        """How often it wrote this to its log."""
        assert self._process.poll() is None, self._output.read_text()
        return self._output.read_text(errors="replace").count(text)

    def kill(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class StandaloneCluster:
    def __init__(self, directory: Path, workers: int) -> None:
        require_command("java")
        port = free_port()
        self.url = f"spark://127.0.0.1:{port}"
        master_class, worker_class = (f"org.apache.spark.deploy.{name}" for name in ("master.Master", "worker.Worker"))
        master = ["--host", "127.0.0.1", "--webui-port", "0", "--port", str(port)]
        self.master = Daemon(directory / "master", [master_class, *master])
        self.workers = [
            Daemon(
                directory / f"worker-{number}",
                [
                    worker_class, "--host", f"127.0.0.{number + 1}", "--webui-port", "0", "--cores", "1",
                    "--memory", "1g", "--work-dir", str(directory / f"work-{number}"), self.url,
                ],
                bare_environment(directory / f"environment-{number}"),
            )
            for number in range(workers)
        ]  # fmt: skip

    def await_workers(self) -> None:
        eventually(lambda: self.master.said("Registering worker") >= len(self.workers), START_SECONDS_MAX)

    def kill(self) -> None:
        for daemon in (*self.workers, self.master):
            daemon.kill()


@contextmanager
def standalone_cluster(directory: Path, workers: int = 2) -> Iterator[StandaloneCluster]:
    cluster = StandaloneCluster(directory, workers)
    try:
        cluster.await_workers()
        yield cluster
    finally:
        cluster.kill()
