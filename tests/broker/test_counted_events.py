"""Each metric moves when the thing happens that it counts, seen from outside: requests in, the page of metrics out."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ottla.handlers.fetch.deliver import WARM_TAIL_BYTES
from ottla.observability.catalogue import metric_definitions
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.api_versions import ApiVersionsRequest
from ottla.records.attributes import Codec
from ottla.records.batch import ATTRIBUTES_POSITION, MAGIC_POSITION
from ottla.records.legacy import down_convert
from ottla.testing import EmbeddedBroker
from support.ports import free_port
from support.raw_kafka import RawKafka
from support.raw_requests import batch, fetch, produce
from support.scraping import MetricsPage

TOPICS = "kafka_server_brokertopicmetrics_"
REQUESTS = "kafka_network_requestmetrics_"

ONLY_AFTER_THEIR_EVENT = {
    "ottla_bad_frames_total",
    "ottla_connections_refused_total",
    "ottla_handler_failures_total",
}


class Watched:
    """A broker with one topic that is compacted and one that is not."""

    def __init__(self, broker: EmbeddedBroker, metrics_port: int, directory: Path) -> None:
        self.directory = directory
        self.address = broker.bootstrap_servers
        self.metrics_port = metrics_port

    def page(self) -> MetricsPage:
        return MetricsPage(self.metrics_port)

    def difference(self, action: Callable[[RawKafka], object], name: str, **labels: str) -> float:
        """How much the metric grew while the action was done."""
        with RawKafka(self.address) as raw:
            before = self.page().value(name, **labels)
            action(raw)
            return self.page().value(name, **labels) - before


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    port = free_port()
    properties = {"ottla.metrics.port": str(port), "message.max.bytes": "5000"}
    directory = tmp_path_factory.mktemp("watched")
    with EmbeddedBroker(properties=properties, directory=directory) as broker:
        broker.create_topic("plain")
        broker.create_topic("compacted", configs={"cleanup.policy": "compact"})
        broker.create_topic("gzipped", configs={"compression.type": "gzip"})
        broker.create_topic("large", configs={"max.message.bytes": "2000000"})
        yield Watched(broker, port, directory)


def with_byte(records: bytes, position: int, value: int) -> bytes:
    changed = bytearray(records)
    changed[position] = value
    return bytes(changed)


LARGE = batch([b"x" * 1_000_000])
WRONG_CRC = with_byte(batch(), ATTRIBUTES_POSITION + 8, 0xEE)
WRONG_MAGIC = with_byte(batch(), MAGIC_POSITION, 7)


@pytest.mark.parametrize(
    ("topic", "records", "name", "grows_by"),
    [
        ("plain", batch(3), "messagesin_total", 3),
        ("plain", batch(3), "bytesin_total", len(batch(3))),
        ("plain", batch(3), "totalproducerequests_total", 1),
        ("plain", batch(3), "failedproducerequests_total", 0),
        ("plain", WRONG_CRC, "totalproducerequests_total", 1),
        ("plain", WRONG_CRC, "invalidmessagecrcrecords_total", 1),
        ("plain", WRONG_CRC, "failedproducerequests_total", 0),
        ("plain", WRONG_MAGIC, "invalidmagicnumberrecords_total", 1),
        ("plain", WRONG_MAGIC, "failedproducerequests_total", 1),
        ("plain", batch(2, base_offset=5), "invalidoffsetorsequencerecords_total", 1),
        ("plain", batch([b"x" * 6000]), "bytesrejected_total", len(batch([b"x" * 6000]))),
        ("compacted", batch(2, keys=[b"key", None]), "nokeycompactedtopicrecords_total", 1),
        ("compacted", batch(2, keys=[b"key", None]), "failedproducerequests_total", 1),
        ("gzipped", batch(4), "producemessageconversions_total", 4),
        ("gzipped", batch(4, compression=Codec.GZIP), "producemessageconversions_total", 0),
    ],
)
def test_produce_is_counted(watched: Watched, topic: str, records: bytes, name: str, grows_by: int) -> None:
    assert watched.difference(lambda raw: produce(raw, topic, records), TOPICS + name, topic=topic) == grows_by
    total = watched.page().value(TOPICS + name)
    assert total >= watched.page().value(TOPICS + name, topic=topic)


def test_old_producers_messages_are_counted_as_converted_with_time_and_memory(watched: Watched) -> None:
    def send_old(raw: RawKafka) -> None:
        assert produce(raw, "plain", down_convert(batch(5), 1), version=2).error_code == 0

    assert watched.difference(send_old, TOPICS + "producemessageconversions_total", topic="plain") == 5
    assert watched.difference(send_old, REQUESTS + "messageconversionstimems_count", request="Produce") == 1
    assert watched.difference(send_old, REQUESTS + "temporarymemorybytes_sum", request="Produce") >= len(batch(5))


def test_old_consumers_records_are_counted_as_converted(watched: Watched) -> None:
    with RawKafka(watched.address) as raw:
        offset = produce(raw, "plain", batch(6)).base_offset

    def fetch_old(raw: RawKafka) -> None:
        assert fetch(raw, "plain", offset, version=3).records

    assert watched.difference(fetch_old, TOPICS + "fetchmessageconversions_total", topic="plain") >= 6
    assert watched.difference(fetch_old, REQUESTS + "messageconversionstimems_count", request="Fetch") == 1
    assert watched.difference(fetch_old, REQUESTS + "temporarymemorybytes_count", request="Fetch") == 1


def test_fetch_that_waits_for_the_disk_is_counted_as_cold(watched: Watched) -> None:
    """Behind the last megabytes, which are taken to be in memory."""
    with RawKafka(watched.address) as raw:
        for _ in range(3 * WARM_TAIL_BYTES // len(LARGE)):
            produce(raw, "large", LARGE)
    (segment,) = watched.directory.glob("**/large-0/*.log")
    descriptor = os.open(segment, os.O_RDONLY)
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    try:
        os.preadv(descriptor, [bytearray(1)], 0, os.RWF_NOWAIT)
        pytest.skip("this file system does not drop pages")
    except BlockingIOError:
        pass
    finally:
        os.close(descriptor)

    def fetch_first(raw: RawKafka) -> None:
        assert fetch(raw, "large", 0, max_bytes=len(LARGE)).records

    assert watched.difference(fetch_first, "ottla_fetch_cold_reads_total") == 1
    assert watched.difference(fetch_first, "ottla_fetch_cold_reads_total") == 0


def test_fetches_are_counted_and_those_that_waited_in_vain(watched: Watched) -> None:
    def fetch_end(raw: RawKafka) -> None:
        end = fetch(raw, "plain", 0).high_watermark
        fetch(raw, "plain", end, wait_ms=30)

    assert watched.difference(fetch_end, TOPICS + "totalfetchrequests_total", topic="plain") >= 2
    expired = "kafka_server_delayedfetchmetrics_expires_total"
    assert watched.difference(fetch_end, expired, fetcherType="consumer") == 1
    assert watched.difference(fetch_end, expired, fetcherType="follower") == 0


def ask_a_version_of_the_future(raw: RawKafka) -> None:
    raw.send_body(ApiKey.API_VERSIONS, 99, b"")
    assert raw.receive_frame()


def test_answers_are_counted_by_error_wherever_it_stands_in_them(watched: Watched) -> None:
    def errors(error: str, action: Callable[[RawKafka], object], request: str) -> float:
        return watched.difference(action, REQUESTS + "errors_total", request=request, error=error)

    assert errors("NONE", lambda raw: produce(raw, "plain", batch()), "Produce") == 1
    assert errors("CORRUPT_MESSAGE", lambda raw: produce(raw, "plain", WRONG_CRC), "Produce") == 1
    assert errors("OFFSET_OUT_OF_RANGE", lambda raw: fetch(raw, "plain", 1 << 40), "Fetch") == 1
    assert errors("UNKNOWN_TOPIC_OR_PARTITION", lambda raw: fetch(raw, "absent", 0), "Fetch") == 1
    assert errors("NONE", lambda raw: raw.ask(ApiVersionsRequest(), 0), "ApiVersions") == 1
    assert errors("UNSUPPORTED_VERSION", ask_a_version_of_the_future, "ApiVersions") == 1


def test_sizes_of_requests_are_told_by_api(watched: Watched) -> None:
    name = REQUESTS + "requestbytes"
    assert watched.difference(lambda raw: produce(raw, "plain", batch(9)), name + "_sum", request="Produce") > len(
        batch(9)
    )
    assert watched.difference(lambda raw: fetch(raw, "plain", 0), name + "_count", request="FetchConsumer") == 1


def test_open_connections_are_told_by_client_library(watched: Watched) -> None:
    name = "kafka_server_socketservermetrics_connections"
    request = ApiVersionsRequest(client_software_name="my-client", client_software_version="2.1")
    with RawKafka(watched.address) as raw:
        raw.ask(request, 3)
        page = watched.page()
        labels = {"clientSoftwareName": "my-client", "clientSoftwareVersion": "2.1"}
        assert page.value(name, **labels) == 1
    with RawKafka(watched.address) as raw:
        raw.ask(ApiVersionsRequest(), 2)
        assert watched.page().value(name, clientSoftwareName="unknown") >= 1


def test_zookeeper_requests_are_timed(watched: Watched) -> None:
    assert watched.page().value("kafka_server_zookeeperclientmetrics_zookeeperrequestlatencyms_count") > 0


def test_recovery_after_a_kill_is_told_and_everything_that_is_said_to_be_exported_is(tmp_path: Path) -> None:
    port = free_port()
    with EmbeddedBroker(properties={"ottla.metrics.port": str(port)}, directory=tmp_path, process=True) as broker:
        broker.create_topic("plain")
        assert MetricsPage(port).value("ottla_recovery_bytes_total") == 0
        with RawKafka(broker.bootstrap_servers) as raw:
            produce(raw, "plain", batch(10))
        broker.brokers[0].kill()
        broker.brokers[0].start()
        with RawKafka(broker.bootstrap_servers) as raw:
            raw.ask(ApiVersionsRequest(), 0)
        page = MetricsPage(port)
    assert page.value("ottla_recovery_bytes_total") == len(batch(10))
    (directory,) = [s.labels["dir"] for s in page.samples if s.name == "kafka_log_logmanager_remaininglogstorecover"]
    assert page.value("kafka_log_logmanager_remaininglogstorecover", dir=directory) == 0
    assert page.value("kafka_log_logmanager_remainingsegmentstorecover", dir=directory) == 0
    exported = {name for name, metric in metric_definitions().items() if metric.later is None}
    assert exported - page.families == ONLY_AFTER_THEIR_EVENT
