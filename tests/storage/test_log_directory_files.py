"""The small files that say whose a log directory is: names, lock, marker, meta.properties, partition.metadata."""

import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from ottla.disk.directory import LogDirectory
from ottla.errors import OperatorError
from ottla.model import TopicPartition
from ottla.storage.log.partition_directory import (
    DirectoryKind,
    InconsistentPartitionMetadataError,
    decode_partition_metadata,
    encode_partition_metadata,
    parse_directory_name,
    renamed_directory,
)
from ottla.storage.log_dir import clean_shutdown
from ottla.storage.log_dir.directory_lock import DirectoryLock
from ottla.storage.log_dir.meta_properties import (
    MetaProperties,
    check_same_broker,
    check_same_cluster,
    decode_meta_properties,
)

KAFKA_META = b"#\n#Sat Nov 15 10:00:00 UTC 2025\nbroker.id=3\nversion=0\ncluster.id=Xk-9aBcDEf012345678901\n"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("orders-0", ("orders", 0, DirectoryKind.CURRENT)),
        ("my.topic-with-dashes-12", ("my.topic-with-dashes", 12, DirectoryKind.CURRENT)),
        ("orders-3.0f3e6a-delete", ("orders", 3, DirectoryKind.DELETED)),
        ("orders-3.0f3e6a-future", ("orders", 3, DirectoryKind.FUTURE)),
        ("orders-3.0f3e6a-stray", ("orders", 3, DirectoryKind.STRAY)),
        ("a.b-1-2.ffff-delete", ("a.b-1", 2, DirectoryKind.DELETED)),
    ],
)
def test_a_directory_name_says_partition_and_state(name: str, expected: tuple[str, int, DirectoryKind]) -> None:
    topic, partition, kind = expected
    assert parse_directory_name(name) == (TopicPartition(topic, partition), kind)


@pytest.mark.parametrize(
    "name",
    [
        "lost+found",
        "orders",
        "orders-",
        "-1",
        "orders-x",
        "orders-0.-delete",
        ".trash-1x",
        "orders-00",
        "orders-2147483648",
        "orders-\u0663",
    ],
)
def test_other_directories_belong_to_no_partition(name: str) -> None:
    assert parse_directory_name(name) is None


def test_the_longest_topic_can_be_deleted() -> None:
    name = renamed_directory(TopicPartition("x" * 249, 12345), DirectoryKind.DELETED)
    assert len(name) == 255
    parsed = parse_directory_name(name)
    assert parsed is not None
    assert parsed.kind is DirectoryKind.DELETED


def test_partition_metadata_keeps_the_topic_id_as_kafka_writes_it() -> None:
    topic_id = uuid.UUID("01234567-89ab-cdef-0123-456789abcdef")
    data = encode_partition_metadata(topic_id)
    assert data == b"version: 0\ntopic_id: ASNFZ4mrze8BI0VniavN7w"
    assert decode_partition_metadata(data) == topic_id


@pytest.mark.parametrize("data", [b"", b"version: 1\ntopic_id: ASNFZ4mrze8BI0VniavN7w", b"topic_id: x", b"version: 0"])
def test_a_damaged_partition_metadata_is_refused(data: bytes) -> None:
    with pytest.raises(InconsistentPartitionMetadataError):
        decode_partition_metadata(data)


def test_meta_properties_of_kafka_are_read_and_written_with_the_same_content() -> None:
    found = decode_meta_properties(KAFKA_META, "there")
    assert (found.version, found.broker_id, found.cluster_id) == (0, 3, "Xk-9aBcDEf012345678901")
    assert decode_meta_properties(found.encode(), "there") == found


def test_keys_that_we_do_not_know_survive() -> None:
    found = decode_meta_properties(KAFKA_META + b"directory.id=abc\n", "there")
    assert b"directory.id=abc\n" in found.encode()


@pytest.mark.parametrize("data", [b"", b"broker.id=1", b"version=7", b"version=x", b"version=0\nbroker.id=x", b"hello"])
def test_damaged_meta_properties_name_the_file(data: bytes) -> None:
    with pytest.raises(OperatorError, match="there"):
        decode_meta_properties(data, "there")


def test_broker_id_comes_from_the_directories_when_none_is_configured() -> None:
    one, other = MetaProperties(broker_id=3), MetaProperties()
    assert check_same_broker([("a", one), ("b", other)], None) == 3
    assert check_same_broker([("a", other)], 5) == 5
    assert check_same_broker([], None) is None


def test_directories_of_two_brokers_or_of_another_cluster_are_refused() -> None:
    with pytest.raises(OperatorError, match="b says 4"):
        check_same_broker([("a", MetaProperties(broker_id=3)), ("b", MetaProperties(broker_id=4))], None)
    with pytest.raises(OperatorError, match=r"broker\.id says that this is broker 9"):
        check_same_broker([("a", MetaProperties(broker_id=3))], 9)
    with pytest.raises(OperatorError, match="belongs to cluster one"):
        check_same_cluster([("a", MetaProperties(cluster_id="one"))], "two")


def test_the_clean_shutdown_marker_is_kafkas_and_is_taken_once(tmp_path: Path) -> None:
    directory = LogDirectory(str(tmp_path))
    clean_shutdown.write_marker(directory, 17)
    assert (tmp_path / ".kafka_cleanshutdown").read_bytes() == b'{"version":0,"brokerEpoch":17}'
    assert clean_shutdown.take_marker(directory)
    assert not clean_shutdown.take_marker(directory)


def test_a_second_broker_in_the_same_directory_is_told_who_is_there(tmp_path: Path) -> None:
    lock = DirectoryLock(str(tmp_path))
    code = (
        "import sys\nfrom ottla.storage.log_dir.directory_lock import DirectoryLock\n"
        "from ottla.errors import OperatorError\n"
        "try: DirectoryLock(sys.argv[1])\nexcept OperatorError as error: print(error)\n"
    )
    told = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert f"in use by process {os.getpid()}" in told.stdout
    with pytest.raises(OperatorError):
        DirectoryLock(str(tmp_path))
    lock.release()
    DirectoryLock(str(tmp_path)).release()
