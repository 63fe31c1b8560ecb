"""Tasks, brokers and drivers that die while they write: nothing is lost. What was written may be there twice."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark import TaskContext
from pyspark.sql import functions as f

import ottla
from ottla.testing import EmbeddedBroker
from support.eventually import eventually
from support.spark_topics import end_of, sink, values_of

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]

ROWS = 60_000
# A task gets its rows in batches of 10,000, so some are sent when one of the last rows fails.
LATE_ROW = ROWS // 2 - 1
STREAM_COPY = Path(__file__).with_name("stream_copy.py")


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(process=True) as broker:
        yield broker


@pytest.fixture
def topic(broker: EmbeddedBroker) -> str:
    return broker.create_topic("target", partitions=3)


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_task_that_fails_is_run_again(spark: Any, broker: EmbeddedBroker, topic: str, is_killed: bool) -> None:
    def passed_on(number: int) -> str:
        context = TaskContext.get()
        if number == LATE_ROW and context is not None and context.attemptNumber() == 0:
            if is_killed:
                os.kill(os.getpid(), signal.SIGKILL)
            raise RuntimeError("the first attempt fails")
        return str(number)

    rows = spark.range(0, ROWS, 1, 2).select(f.udf(passed_on, useArrow=False)("id").alias("value"))

    sink(rows.write, broker, topic).mode("append").save()

    assert {int(value or b"") for value in values_of(broker, topic, ROWS)} == set(range(ROWS))


def test_a_broker_that_is_killed_and_comes_back_loses_and_repeats_nothing(
    spark: Any, broker: EmbeddedBroker, topic: str
) -> None:
    rows = spark.range(0, 20 * ROWS, 1, 2).selectExpr("CAST(id AS STRING) AS value")
    killed_at: list[int] = []

    def kill() -> None:
        killed_at.append(eventually(lambda: end_of(broker, topic), timeout_s=60))
        broker.brokers[0].kill()
        broker.brokers[0].start()

    killer = threading.Thread(target=kill)
    killer.start()
    sink(rows.write, broker, topic).mode("append").save()
    killer.join()

    assert killed_at[0] < 20 * ROWS
    assert sorted(int(value or b"") for value in values_of(broker, topic, 20 * ROWS)) == list(range(20 * ROWS))


def test_a_driver_that_is_killed_goes_on_from_its_checkpoint(
    broker: EmbeddedBroker, topic: str, tmp_path: Path
) -> None:
    source = broker.create_topic("source", partitions=2)
    with ottla.Producer(broker.bootstrap_servers) as producer:
        producer.send_many(source, [b"%d" % number for number in range(ROWS)]).result(60)
    command = [sys.executable, str(STREAM_COPY), broker.bootstrap_servers, source, topic, str(tmp_path)]

    driver = subprocess.Popen(command, start_new_session=True)
    try:
        eventually(lambda: end_of(broker, topic) > ROWS // 10, timeout_s=120)
    finally:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    assert end_of(broker, topic) < ROWS
    subprocess.run(command, check=True, timeout=200)

    assert {int(value or b"") for value in values_of(broker, topic, ROWS)} == set(range(ROWS))
