"""One SparkSession for all tests of Spark, quick to start: the fixture `spark` of tests/spark/conftest.py.

The classes that Spark loads are kept in an archive of the JVM (AppCDS) under `build`, made by the first run; the
compiler stops at its first tier. Tasks that fail are tried again (`local[2,4]`), which plain `local[2]` does not do.
Nothing is downloaded: jars that a test needs (Spark's own Kafka connector) are given by path.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.peers import PEERS, ROOT, require_command

MASTER = "local[2,4]"
CONNECTOR_JARS = PEERS / "spark-connector"
ARCHIVE = ROOT / "build" / "spark.jsa"


def session_settings(directory: Path) -> dict[str, str]:
    return {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(directory / "warehouse"),
        "spark.local.dir": str(directory),
        "spark.log.level": "ERROR",
        "spark.sql.streaming.checkpointFileManagerClass": (
            "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
        ),
        "spark.driver.extraJavaOptions": " ".join(_jvm_options()),
    } | _connector_settings()


def _jvm_options() -> list[str]:
    share = f"-XX:SharedArchiveFile={ARCHIVE}" if ARCHIVE.exists() else f"-XX:ArchiveClassesAtExit={_new_archive()}"
    quiet = ["-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
    return ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", share, *quiet]


def _new_archive() -> Path:
    """Where this run writes an archive: it gets its name when it is whole."""
    ARCHIVE.parent.mkdir(exist_ok=True)
    return ARCHIVE.with_suffix(f".{os.getpid()}")


def _keep_archive() -> None:
    if _new_archive().exists():
        _new_archive().replace(ARCHIVE)


def _connector_settings() -> dict[str, str]:
    """Spark's own Kafka connector on the class path, where it was fetched."""
    jars = sorted(CONNECTOR_JARS.glob("*.jar"))
    return {"spark.jars": ",".join(map(str, jars))} if jars else {}


@contextmanager
def spark_session(settings: Mapping[str, str] | None = None, master: str = MASTER) -> Iterator[Any]:
    """A session that is stopped, with its JVM, at the end of the block."""
    require_command("java")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory(prefix="spark-") as directory:
        builder = SparkSession.builder.master(master).appName("ottla-tests")
        for key, value in (session_settings(Path(directory)) | dict(settings or {})).items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        try:
            yield session
        finally:
            _stop(session)


def _stop(session: Any) -> None:
    """The session, and the JVM behind it: else it would stay until this process ends."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    session.stop()
    if gateway is not None:
        process = gateway.proc
        gateway.shutdown()
        process.stdin.close()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:  # the machine is busy, and nothing depends on how the JVM ends
            process.kill()
            process.wait()
        SparkContext._gateway = SparkContext._jvm = None
        _keep_archive()
