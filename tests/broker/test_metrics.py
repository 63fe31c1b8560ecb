"""A broker's own Prometheus page: the series that dashboards ask for are there, and are true."""

from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ottla.broker.broker import Broker
from ottla.broker.broker_telemetry import BrokerState
from ottla.broker.data_plane import DataPlane
from ottla.config import BrokerConfig
from support.loops import on_loop


@pytest.fixture
def config(tmp_path: Path) -> BrokerConfig:
    return BrokerConfig.load(
        {
            "listeners": "PLAINTEXT://localhost:0",
            "ottla.zookeeper.port": "0",
            "ottla.metrics.port": "0",
            "log.dirs": str(tmp_path / "logs"),
            "broker.id": "7",
        }
    )


async def scrape(broker: Broker) -> dict[str, float]:
    page = b"".join(broker.metrics.render()).decode()
    return {
        sample.name: sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
        if not sample.labels
    }


@on_loop
async def test_broker_tells_about_itself(config: BrokerConfig) -> None:
    broker = Broker(config)
    try:
        await broker.start()
        await broker.control.creator.create_missing(["clicks"])
        await broker.metadata.wait_for(lambda image: "clicks" in image.topics, 5000)
        values = await scrape(broker)
    finally:
        await broker.stop()
    for name, expected in {
        "kafka_controller_kafkacontroller_activecontrollercount": 1,
        "kafka_controller_kafkacontroller_globaltopiccount": 1,
        "kafka_controller_kafkacontroller_globalpartitioncount": 1,
        "kafka_server_replicamanager_partitioncount": 1,
        "kafka_server_replicamanager_leadercount": 1,
        "kafka_server_replicamanager_offlinereplicacount": 0,
        "kafka_log_logmanager_offlinelogdirectorycount": 0,
        "kafka_server_metadataloader_currentcontrollerid": 7,
        "kafka_server_sessionexpirelistener_sessionstate": 1,
        "kafka_server_kafkaserver_brokerstate": 3,
    }.items():
        assert values[name] == expected, name
    assert values["ottla_zookeeper_lease_seconds"] > 0


@on_loop
async def test_state_is_told_from_the_recovery_to_the_stop(
    config: BrokerConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = Broker(config)
    states: list[float] = []

    async def note_state() -> None:
        states.append((await scrape(broker))["kafka_server_kafkaserver_brokerstate"])

    async def load(data: DataPlane) -> None:
        await note_state()
        await whole_load(data)

    whole_load = DataPlane.load
    monkeypatch.setattr(DataPlane, "load", load)
    try:
        await broker.start()
        await note_state()
    finally:
        await broker.stop()
    await note_state()
    assert states == [BrokerState.RECOVERING, BrokerState.RUNNING, BrokerState.STOPPING]
