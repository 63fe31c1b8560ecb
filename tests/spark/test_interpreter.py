"""Which Python Spark starts: that of the job, also from a venv that is not activated."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ottla
from ottla.spark.interpreter import use_this_python
from ottla.testing import EmbeddedBroker
from support.peers import require_command

JOB = """
import sys
import pyspark_ottla
from pyspark.sql import SparkSession

settings = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
spark = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
options = {"kafka.bootstrap.servers": sys.argv[1], "subscribe": "clicks"}
print("rows:", spark.read.format("ottla").options(**options).load().count())
"""


@pytest.fixture(autouse=True)
def _no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests of this process may have one."""
    from pyspark import SparkContext

    monkeypatch.setattr(SparkContext, "_active_spark_context", None)


@pytest.fixture
def other_python(tmp_path: Path) -> Path:
    """A folder for the PATH whose python3 is that which this environment was made from: it has no packages."""
    (tmp_path / "python3").symlink_to(Path(sys.executable).resolve())
    return tmp_path


def test_python_of_the_job_is_chosen_where_the_path_has_another(other_python: Path) -> None:
    environment = {"PATH": str(other_python)}
    use_this_python(environment)
    assert environment["PYSPARK_PYTHON"] == sys.executable


def test_python_of_the_job_is_chosen_where_the_path_has_none(tmp_path: Path) -> None:
    environment = {"PATH": str(tmp_path)}
    use_this_python(environment)
    assert environment["PYSPARK_PYTHON"] == sys.executable


@pytest.mark.parametrize("told", [{"PYSPARK_PYTHON": "/opt/python"}, {"PYSPARK_GATEWAY_PORT": "1"}])
def test_what_spark_was_told_stays(told: dict[str, str], other_python: Path) -> None:
    environment = {"PATH": str(other_python), **told}
    use_this_python(environment)
    assert environment == {"PATH": str(other_python), **told}


def test_nothing_is_set_in_an_activated_environment() -> None:
    """So that executors of a cluster, whose Python may be elsewhere, are left alone."""
    environment = {"PATH": str(Path(sys.executable).parent)}
    use_this_python(environment)
    assert "PYSPARK_PYTHON" not in environment


def test_import_after_the_session_is_warned_of(other_python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark import SparkContext

    monkeypatch.setattr(SparkContext, "_active_spark_context", object())
    environment = {"PATH": str(other_python)}
    with pytest.warns(RuntimeWarning, match="before"):
        use_this_python(environment)
    assert "PYSPARK_PYTHON" not in environment


@pytest.mark.long
def test_job_reads_from_a_venv_that_is_not_activated(other_python: Path, tmp_path: Path) -> None:
    require_command("java")
    (tmp_path / "job.py").write_text(JOB)
    here = str(Path(sys.executable).parent)
    path = os.pathsep.join([str(other_python), *(p for p in os.environ["PATH"].split(os.pathsep) if p != here)])
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYSPARK_")} | {"PATH": path}
    with EmbeddedBroker() as broker:
        broker.create_topic("clicks")
        with ottla.Producer(broker.bootstrap_servers) as producer:
            for _ in range(3):
                producer.send("clicks", b"a click")
        command = [sys.executable, str(tmp_path / "job.py"), broker.bootstrap_servers]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert "rows: 3" in done.stdout, done.stderr
