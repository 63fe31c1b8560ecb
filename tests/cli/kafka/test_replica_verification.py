"""`kafka-replica-verification`: replicas that are the same, and one that is not."""

import re

import pytest

import ottla as clients
from ottla.cli.kafka.replica_verification import Replica, ReplicaRead, Verification
from ottla.model import TopicPartition
from ottla.records.batch import decode_header
from ottla.records.record import Record, encode_batch
from ottla.testing import EmbeddedBroker
from support.command import Ottla

LINE = re.compile(r"[-0-9]{10} [:0-9]{8},\d{3}: (.*)\n")


@pytest.fixture(scope="module")
def cluster() -> EmbeddedBroker:
    with EmbeddedBroker(brokers=2) as cluster:
        cluster.create_topic("rv-clicks", partitions=1, replication_factor=2)
        with clients.Producer(cluster.bootstrap_servers, acks="all") as producer:
            for number in range(4):
                producer.send("rv-clicks", b"value %d" % number).result(30)
        yield cluster


def test_equal_replicas_are_read_to_their_end_without_a_word(
    cluster: EmbeddedBroker, capsys: pytest.CaptureFixture[str]
) -> None:
    verification = Verification(cluster.bootstrap_servers, "rv-.*", -2, 1 << 20)
    partition = TopicPartition("rv-clicks", 0)
    assert verification.offsets == {partition: 0}
    while verification.offsets[partition] < 4:
        verification.round()
    assert capsys.readouterr().out == ""


def test_batch_with_another_checksum_is_told(cluster: EmbeddedBroker) -> None:
    verification = Verification(cluster.bootstrap_servers, "rv-.*", -2, 1 << 20)
    partition = TopicPartition("rv-clicks", 0)
    one, other = (decode_header(encode_batch([Record(0, 1, None, value, ())])) for value in (b"one", b"other"))
    answers = {Replica(0, "a"): ReplicaRead(1, [one]), Replica(1, "b"): ReplicaRead(1, [other])}
    (problem,) = verification._compare(partition, answers)
    assert f"checksum {one.crc}" in problem
    assert f"checksum {other.crc}" in problem


def test_prints_kafkas_lines_until_it_is_stopped(ottla: Ottla, cluster: EmbeddedBroker) -> None:
    place = ("--broker-list", cluster.bootstrap_servers, "--topics-include", "rv-.*", "--report-interval-ms", "10")
    with ottla.start("kafka-replica-verification", *place) as process:
        assert process.stdout is not None
        lines = [LINE.fullmatch(process.stdout.readline()) for _ in range(2)]
        process.terminate()
        assert process.wait(30) == 0
    assert [line[1] for line in lines if line] == [
        "verification process is started",
        "max lag is 0 for partition rv-clicks-0 at offset 4 among 1 partitions",
    ]
