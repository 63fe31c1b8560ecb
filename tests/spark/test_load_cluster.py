"""`ottla load --master spark://...`: a real cluster whose executors do not have Ottla, and one of them killed."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ottla
from ottla.testing import EmbeddedBroker
from support.eventually import eventually
from support.load_tables import read_offsets
from support.spark_cluster import StandaloneCluster, driver_environment, standalone_cluster

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]

ROWS = 40_000
LOAD_SECONDS_MAX = 600


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[StandaloneCluster]:
    with standalone_cluster(tmp_path / "cluster") as cluster:
        yield cluster


def start_load(broker: EmbeddedBroker, cluster: StandaloneCluster, directory: Path) -> "subprocess.Popen[str]":
    command = [
        sys.executable, "-m", "ottla", "load", "clicks", "--to", f"parquet:{directory / 'table'}",
        "-b", broker.bootstrap_servers, "--master", cluster.url, "--conf", "spark.driver.host=127.0.0.1",
        "--conf", "spark.executor.memory=512m", "--max-records", "4000",
    ]  # fmt: skip
    return subprocess.Popen(command, env=driver_environment(), stderr=subprocess.PIPE, text=True)


def test_table_is_exact_when_a_worker_is_killed_in_the_middle(cluster: StandaloneCluster, tmp_path: Path) -> None:
    with EmbeddedBroker(process=True) as broker:
        broker.create_topic("clicks", partitions=2)
        with ottla.Producer(broker.bootstrap_servers) as producer:
            for partition in range(2):
                values = [b"%d" % number for number in range(ROWS // 2)]
                producer.send_many("clicks", values, partition=partition).result(60)
        job = start_load(broker, cluster, tmp_path)
        commits = tmp_path / "table" / "_ottla" / "commits"
        try:
            eventually(lambda: (commits.is_dir() and any(commits.glob("*.json"))) or job.poll() is not None, 300)
            cluster.workers[0].kill()
            assert len(list(commits.glob("*.json"))) < 10, "all was loaded before the worker was killed"
            _output, errors = job.communicate(timeout=LOAD_SECONDS_MAX)
        finally:
            job.kill()
    assert job.returncode == 0, errors
    assert read_offsets("parquet", tmp_path) == sorted([*range(ROWS // 2)] * 2)
