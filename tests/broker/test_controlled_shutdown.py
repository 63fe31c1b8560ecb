"""Leaving the cluster: asked again while others could lead, not waited for by the last broker."""

import asyncio
from types import SimpleNamespace
from typing import Any

from ottla.broker.controlled_shutdown import leave_cluster
from ottla.config import BrokerConfig
from ottla.controller.registration import OwnRegistration
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import BrokerRegistration, ClusterImage
from ottla.model import TopicPartition
from support.coroutines import on_event_loop

AN_HOUR_MS = "3600000"
OWN_ID = 1


class Office:
    """A controller in office on this broker, which has so many partitions left at each request."""

    is_active = True

    def __init__(self, *remaining: int) -> None:
        self.remaining = list(remaining)
        self.asked = asyncio.Event()

    async def controlled_shutdown(self, broker_id: int, broker_epoch: int) -> list[TopicPartition]:
        self.asked.set()
        return [TopicPartition("t", number) for number in range(self.remaining.pop(0))]


def control_with(office: Office) -> Any:
    replication = SimpleNamespace(fetchers=SimpleNamespace(stop=lambda: None))
    registration = OwnRegistration(OWN_ID)
    registration.registered(5)
    return SimpleNamespace(controller=office, registration=registration, replication=replication)


def image(*broker_ids: int) -> ClusterImage:
    return ClusterImage(controller_id=OWN_ID, brokers={b: BrokerRegistration(b, {}) for b in broker_ids})


def config(**properties: str) -> BrokerConfig:
    return BrokerConfig.load({key.replace("_", "."): value for key, value in properties.items()})


@on_event_loop
async def test_broker_asks_until_it_leads_nothing_that_others_can() -> None:
    office = Office(2, 1, 0)
    quick = config(controlled_shutdown_retry_backoff_ms="1")
    await leave_cluster(quick, MetadataCache(image(1, 2)), control_with(office))
    assert office.remaining == []


@on_event_loop
async def test_lone_broker_asks_nobody() -> None:
    await leave_cluster(config(), MetadataCache(image(OWN_ID)), control_with(Office()))


@on_event_loop
async def test_new_controller_is_asked_at_once() -> None:
    office, metadata = Office(3, 0), MetadataCache(image(1, 2))
    patient = config(controlled_shutdown_retry_backoff_ms=AN_HOUR_MS)
    leaving = asyncio.create_task(leave_cluster(patient, metadata, control_with(office)))
    await office.asked.wait()
    metadata.swap(metadata.image.with_brokers(2, metadata.image.brokers))
    await leaving
    assert office.remaining == []


@on_event_loop
async def test_broker_that_becomes_the_last_one_waits_no_longer() -> None:
    office, metadata = Office(3), MetadataCache(image(1, 2))
    patient = config(controlled_shutdown_retry_backoff_ms=AN_HOUR_MS)
    leaving = asyncio.create_task(leave_cluster(patient, metadata, control_with(office)))
    await office.asked.wait()
    metadata.swap(image(OWN_ID))
    await leaving
