"""The same job on this machine and on a real Spark cluster whose executors do not have Ottla: it is sent to them."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ottla
from ottla.spark.executor_package import build_archive, executor_settings
from ottla.testing import EmbeddedBroker
from support.eventually import eventually
from support.spark_cluster import StandaloneCluster, driver_environment, standalone_cluster
from support.spark_topics import end_of, values_of

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]

ROWS = 30_000
JOB = Path(__file__).with_name("cluster_job.py")
JOB_SECONDS_MAX = 400


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(process=True) as broker:
        broker.create_topic("source", partitions=4)
        with ottla.Producer(broker.bootstrap_servers, compression_type="zstd") as producer:
            producer.send_many("source", [b"%d" % number for number in range(ROWS)]).result(60)
        yield broker


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    archive = build_archive(tmp_path_factory.mktemp("package") / "ottla.zip")
    return executor_settings(archive)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[StandaloneCluster]:
    with standalone_cluster(tmp_path) as cluster:
        yield cluster


def start_job(master: str, broker: EmbeddedBroker, target: str, settings: dict[str, str]) -> "subprocess.Popen[str]":
    """The driver, a process of its own."""
    pairs = [f"{key}={value}" for key, value in settings.items()]
    command = [sys.executable, str(JOB), master, broker.bootstrap_servers, "source", target, *pairs]
    return subprocess.Popen(command, env=driver_environment(), stderr=subprocess.PIPE, text=True)


def finish(job: "subprocess.Popen[str]") -> tuple[int, str]:
    try:
        _output, errors = job.communicate(timeout=JOB_SECONDS_MAX)
    finally:
        job.kill()
    return job.returncode, errors


def numbers_in(broker: EmbeddedBroker, topic: str) -> set[int]:
    return {int(value or b"") for value in values_of(broker, topic, ROWS)}


def test_a_worker_killed_in_the_middle_leaves_the_outcome_that_this_machine_has(
    broker: EmbeddedBroker, cluster: StandaloneCluster, package: dict[str, str]
) -> None:
    here, there = broker.create_topic("here", partitions=2), broker.create_topic("there", partitions=2)
    code, errors = finish(start_job("local[*]", broker, here, {}))
    assert code == 0, errors

    job = start_job(cluster.url, broker, there, package)
    eventually(lambda: end_of(broker, there) > 0 or job.poll() is not None, 300)
    cluster.workers[0].kill()
    assert end_of(broker, there) < ROWS
    code, errors = finish(job)

    assert code == 0, errors
    assert numbers_in(broker, there) == numbers_in(broker, here) == set(range(ROWS))


def test_a_task_that_is_stuck_is_overtaken_by_a_speculative_one(
    broker: EmbeddedBroker, cluster: StandaloneCluster, package: dict[str, str]
) -> None:
    target = broker.create_topic("speculative", partitions=2)
    speculation = {"spark.speculation": "true", "spark.speculation.quantile": "0.5", "job.stuck": "true"}

    code, errors = finish(start_job(cluster.url, broker, target, package | speculation))

    assert code == 0, errors
    assert numbers_in(broker, target) == set(range(ROWS))


def test_without_the_package_the_executors_say_what_is_missing(
    broker: EmbeddedBroker, cluster: StandaloneCluster
) -> None:
    target = broker.create_topic("nothing")

    code, errors = finish(start_job(cluster.url, broker, target, {}))

    assert code != 0
    assert "No module named 'ottla'" in errors
