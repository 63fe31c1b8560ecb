"""`kafka-consumer-groups`, beside Kafka 3.9's: an idle group and a living one."""

from collections.abc import Iterator

import pytest

import ottla as clients
from ottla.testing import EmbeddedBroker
from support.command import Ottla, run_here
from support.kafka_tools import KafkaTools


@pytest.fixture(scope="module", autouse=True)
def groups(broker: EmbeddedBroker) -> Iterator[None]:
    """Group `cg-idle` has committed on one partition; `cg-live` has a member with two."""
    broker.create_topic("cg-clicks", partitions=2)
    broker.create_topic("cg-one")
    with clients.Producer(broker.bootstrap_servers) as producer:
        producer.send_many("cg-one", [b"value"] * 9)
    with clients.Admin(broker.bootstrap_servers) as admin:
        admin.alter_group_offsets("cg-idle", {clients.TopicPartition("cg-one", 0): 3}).check()
    with clients.Consumer(
        broker.bootstrap_servers, group_id="cg-live", client_id="live", auto_offset_reset="earliest"
    ) as consumer:
        consumer.subscribe(["cg-clicks"])
        while not consumer.assignment():
            consumer.poll(100)
        yield


@pytest.mark.parametrize(
    "arguments",
    [
        "--list --state Stable",
        "--describe --group cg-idle",
        "--describe --group cg-idle --state",
        "--describe --group cg-idle --members",
        "--describe --group cg-live",
        "--describe --group cg-live --members",
        "--describe --group cg-live --members --verbose",
        "--describe --group cg-live --state",
        "--describe --group nope",
        "--reset-offsets --group cg-idle --topic cg-one --to-earliest --dry-run",
        "--reset-offsets --group cg-idle --topic cg-one:0 --to-offset 500",
        "--reset-offsets --group cg-idle --all-topics --to-latest --dry-run --export",
        "--reset-offsets --group cg-idle --all-topics --to-datetime 2020-01-01T00:00:00.000 --dry-run",
        "--reset-offsets --group cg-idle --all-topics --by-duration P1D --dry-run",
        "--reset-offsets --group cg-live --topic cg-clicks --to-earliest --execute",
        "--delete-offsets --group nope --topic cg-one",
        "--delete --group cg-live",
        "--delete --group nope",
        "--describe",
        "--list --describe",
    ],
)
def test_prints_what_kafka_prints(side_by_side, arguments: str) -> None:  # type: ignore[no-untyped-def]
    side_by_side("kafka-consumer-groups", *arguments.split(), ordered=False)


def test_executed_resets_move_the_group(broker: EmbeddedBroker, java: KafkaTools) -> None:
    server = ("--bootstrap-server", broker.bootstrap_servers)
    shift = ("--reset-offsets", "--group", "cg-idle", "--all-topics", "--shift-by", "1", "--execute")
    theirs = java.run("kafka-consumer-groups", *server, *shift)
    ours = run_here("kafka-consumer-groups", *server, *shift)
    assert ours.stdout == theirs.stdout.replace(" 4 ", " 5 ")
    with clients.Admin(broker.bootstrap_servers) as admin:
        assert admin.list_group_offsets("cg-idle")[clients.TopicPartition("cg-one", 0)].offset == 5


def test_groups_and_offsets_are_deleted(broker: EmbeddedBroker) -> None:
    server = ("--bootstrap-server", broker.bootstrap_servers)
    with clients.Admin(broker.bootstrap_servers) as admin:
        for group in ("cg-a", "cg-b"):
            admin.alter_group_offsets(group, {clients.TopicPartition("cg-one", 0): 3}).check()
    offset = ("--delete-offsets", "--group", "cg-a", "--topic", "cg-one:0")
    assert run_here("kafka-consumer-groups", *server, *offset).stdout == (
        "Request succeed for deleting offsets with topic cg-one:0 group cg-a\n"
        "\nTOPIC                          PARTITION       STATUS         "
        "cg-one                         0               Successful     "
    )
    assert run_here("kafka-consumer-groups", *server, "--delete", "--group", "cg-b").stdout == (
        "Deletion of requested consumer groups ('cg-b') was successful.\n"
    )


def test_works_as_a_process(ottla: Ottla) -> None:
    assert "cg-idle" in ottla("kafka-consumer-groups", "--bootstrap-server", ottla.bootstrap_server, "--list")
