"""The payloads of a recorded Kafka 3.9.1 are read, and written again with the same meaning; nonsense names its path."""

import json
import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ottla.coordination import paths
from ottla.coordination.errors import PayloadError
from ottla.coordination.payloads import acls, admin, brokers, cluster, configs, consumers, topics
from ottla.model import TopicPartition

RECORDED = Path(__file__).parent.parent / "data" / "kafka-3.9-znodes.txt"
LINE = re.compile(r"(?P<path>/\S*) (?:ephemeral )?v\d+ (?P<payload>.*)")

Decode = Callable[[str, bytes], Any]
Encode = Callable[[Any], bytes]


def _method(value: Any) -> bytes:
    encoded: bytes = value.encode()
    return encoded


CODECS: list[tuple[str, Decode, Encode]] = [
    (r"/brokers/ids/\d+", brokers.BrokerInfo.decode, _method),
    (r"/brokers/topics/[^/]+", topics.TopicAssignment.decode, _method),
    (r"/brokers/topics/[^/]+/partitions/\d+/state", topics.LeaderAndIsr.decode, _method),
    (r"/cluster/id", cluster.decode_cluster_id, cluster.encode_cluster_id),
    (r"/controller", cluster.ControllerInfo.decode, _method),
    (r"/controller_epoch", cluster.decode_controller_epoch, cluster.encode_controller_epoch),
    (r"/latest_producer_id_block", cluster.ProducerIdBlock.decode, _method),
    (r"/feature", cluster.FinalizedFeatures.decode, _method),
    (r"/config/changes/config_change_\d+", configs.decode_config_change, configs.encode_config_change),
    (r"/config/[a-z]+/.+", configs.decode_config, configs.encode_config),
    (r"/kafka-acl-changes/.+", acls.decode_acl_change, acls.encode_acl_change),
    (r"/kafka-acl/[^/]+/.+", acls.decode_acls, acls.encode_acls),
    (r"/admin/reassign_partitions", admin.decode_reassignment, admin.encode_reassignment),
    (r"/admin/preferred_replica_election", admin.decode_partitions, admin.encode_partitions),
    (r"/log_dir_event_notification/.+", admin.LogDirEvent.decode, _method),
    (r"/consumers/[^/]+/ids/.+", consumers.ConsumerRegistration.decode, _method),
    (r"/consumers/[^/]+/offsets/.+", consumers.decode_offset, consumers.encode_offset),
]


def codec(path: str) -> tuple[Decode, Encode]:
    return next((decode, encode) for pattern, decode, encode in CODECS if re.fullmatch(pattern, path))


def recorded() -> list[tuple[str, bytes]]:
    lines = (LINE.fullmatch(line) for line in RECORDED.read_text().splitlines())
    return [(found["path"], found["payload"].encode()) for found in lines if found and found["payload"]]


@pytest.mark.parametrize(("path", "payload"), recorded(), ids=[path for path, _ in recorded()])
def test_recorded_znode_is_read_and_written_again_with_the_same_value(path: str, payload: bytes) -> None:
    decode, encode = codec(path)
    again = encode(decode(path, payload))
    if payload.startswith(b"{"):
        assert json.loads(again) == json.loads(payload)
    else:
        assert again == payload


def test_small_recorded_znodes_are_written_byte_for_byte() -> None:
    unordered = ("/brokers/topics/__", "/config/topics/", "/config/users/")  # maps in the order of Java's hash codes
    for path, payload in recorded():
        if not path.startswith(unordered) or path.endswith("/state"):
            decode, encode = codec(path)
            assert encode(decode(path, payload)) == payload


def test_every_recorded_root_has_a_name_in_paths() -> None:
    names = {value for name, value in vars(paths).items() if name.isupper() and isinstance(value, str)}
    roots = {"/" + path.split("/")[1] for path, _ in recorded()}
    known = {"/" + name.split("/")[1] for name in names if name.startswith("/")}
    assert roots <= known


def test_recorded_broker_is_understood() -> None:
    payload = dict(recorded())["/brokers/ids/0"]
    info = brokers.BrokerInfo.decode("/brokers/ids/0", payload)
    assert info.endpoints == (brokers.Endpoint("PLAINTEXT", "localhost", 9092, "PLAINTEXT"),)
    assert (info.rack, info.jmx_port, info.timestamp_ms) == ("r1", -1, 1794736304062)


def test_broker_of_version_1_has_one_plaintext_endpoint() -> None:
    info = brokers.BrokerInfo.decode(
        "/brokers/ids/7", b'{"jmx_port":-1,"host":"h","version":1,"port":9,"timestamp":"5"}'
    )
    assert info.endpoints == (brokers.Endpoint("PLAINTEXT", "h", 9, "PLAINTEXT"),)


def test_broker_of_version_2_has_the_protocol_as_listener_name() -> None:
    info = brokers.BrokerInfo.decode("/b", b'{"version":2,"host":"h","port":9,"endpoints":["SSL://[::1]:9093"]}')
    assert info.endpoints == (brokers.Endpoint("SSL", "::1", 9093, "SSL"),)
    assert str(info.endpoints[0]) == "SSL://[::1]:9093"


def test_broker_without_plaintext_listener_has_null_host_and_port_minus_one() -> None:
    info = brokers.BrokerInfo((brokers.Endpoint("SECURE", "h", 9093, "SASL_SSL"),), timestamp_ms=1)
    fields = json.loads(info.encode())
    assert (fields["host"], fields["port"]) == (None, -1)
    assert brokers.BrokerInfo.decode("/b", info.encode()) == info


def test_topic_of_version_1_has_no_id() -> None:
    read = topics.TopicAssignment.decode("/brokers/topics/t", b'{"version":1,"partitions":{"1":[2],"0":[1,2]}}')
    assert read.topic_id == uuid.UUID(int=0)
    assert list(read.partitions.items()) == [(0, (1, 2)), (1, (2,))]


def test_unknown_fields_are_ignored() -> None:
    data = b'{"version":9,"leader":1,"leader_epoch":2,"isr":[1],"controller_epoch":3,"new":{"x":[]}}'
    assert topics.LeaderAndIsr.decode("/p", data) == topics.LeaderAndIsr(1, 2, (1,), 3)


def test_recovering_partition_round_trips() -> None:
    state = topics.LeaderAndIsr(1, 2, (1,), 3, recovering=True)
    assert topics.LeaderAndIsr.decode("/p", state.encode()) == state


def test_config_change_of_version_1_is_understood() -> None:
    change = configs.decode_config_change("/c", b'{"version":1,"entity_type":"topics","entity_name":"t"}')
    assert change == configs.topic_entity("t")


def test_entity_names_are_sanitized_in_paths_and_plain_in_values() -> None:
    entity = configs.ConfigEntity((("users", "CN=a b*~"), ("clients", "<default>")))
    assert entity.path == "users/CN%3Da%20b%2A%7E/clients/<default>"
    assert configs.parse_entity_path("/x", entity.path) == entity


def test_extended_acl_change_round_trips() -> None:
    resource = acls.ResourcePattern("TOPIC", "a:b", "PREFIXED")
    assert acls.decode_acl_change("/x", acls.encode_acl_change(resource)) == resource


@pytest.mark.parametrize("number", ["2147483648", "-2147483649", "1e400", "9" * 30, f'"{"9" * 5000}"', '"2147483648"'])
@pytest.mark.parametrize(
    ("decode", "form"),
    [
        (topics.LeaderAndIsr.decode, '{"leader":%s,"leader_epoch":2,"isr":[1],"controller_epoch":3}'),
        (topics.LeaderAndIsr.decode, '{"leader":1,"leader_epoch":%s,"isr":[1],"controller_epoch":3}'),
        (topics.LeaderAndIsr.decode, '{"leader":1,"leader_epoch":2,"isr":[%s],"controller_epoch":3}'),
        (topics.TopicAssignment.decode, '{"partitions":{"0":[%s]}}'),
        (admin.decode_partitions, '{"partitions":[{"topic":"t","partition":%s}]}'),
        (brokers.BrokerInfo.decode, '{"host":"h","port":%s}'),
        (cluster.ControllerInfo.decode, '{"brokerid":%s}'),
        (cluster.decode_controller_epoch, "%s"),
    ],
)
def test_numbers_that_no_message_can_hold_are_refused(decode: Decode, form: str, number: str) -> None:
    with pytest.raises(PayloadError, match=r"^/x: "):
        decode("/x", (form % number).encode())


@pytest.mark.parametrize("key", ["-1", "2147483648", "9" * 5000, "٣٣٣٣٣٣٣٣٣٣٣", "x"])
def test_partitions_that_no_message_can_hold_are_refused(key: str) -> None:
    with pytest.raises(PayloadError, match=r"^/x: "):
        topics.TopicAssignment.decode("/x", json.dumps({"partitions": {key: [0]}}).encode())


def test_endpoint_with_a_port_that_cannot_be_is_refused() -> None:
    with pytest.raises(PayloadError, match="not an endpoint"):
        brokers.BrokerInfo.decode("/b", b'{"endpoints":["PLAINTEXT://h:99999999999"]}')


@pytest.mark.parametrize("name", ["-1", "2147483648", "x", "", "9" * 5000])
def test_name_that_is_no_broker_id_is_refused(name: str) -> None:
    with pytest.raises(PayloadError):
        brokers.decode_broker_id(f"/brokers/ids/{name}")
    assert brokers.decode_broker_id("/brokers/ids/2147483647") == 2147483647


def test_reassignment_and_partitions_round_trip() -> None:
    targets = {TopicPartition("t", 0): (1, 2), TopicPartition("u", 3): (4,)}
    assert admin.decode_reassignment("/r", admin.encode_reassignment(targets)) == targets
    assert admin.decode_partitions("/p", admin.encode_partitions(targets)) == list(targets)


def test_old_consumer_registration_round_trips() -> None:
    registration = consumers.ConsumerRegistration({"t": 2}, "static", 17)
    assert consumers.ConsumerRegistration.decode("/c", registration.encode()) == registration


@pytest.mark.parametrize(
    ("decode", "data"),
    [
        (topics.LeaderAndIsr.decode, b"{}"),
        (topics.LeaderAndIsr.decode, b'{"leader":true,"leader_epoch":0,"isr":[],"controller_epoch":0}'),
        (topics.TopicAssignment.decode, b'{"partitions":{"x":[0]}}'),
        (topics.TopicAssignment.decode, b'{"partitions":{"0":[0]},"topic_id":"short"}'),
        (brokers.BrokerInfo.decode, b'{"endpoints":["nowhere"]}'),
        (brokers.BrokerInfo.decode, b"[" * 100_000),
        (cluster.ControllerInfo.decode, b"\xff\xfe"),
        (cluster.decode_controller_epoch, b"one"),
        (configs.decode_config_change, b'{"version":2,"entity_path":"topics"}'),
    ],
)
def test_malformed_payload_is_an_error_that_names_the_path(decode: Decode, data: bytes) -> None:
    with pytest.raises(PayloadError, match=r"^/where/it/was: "):
        decode("/where/it/was", data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["partitions", "0"]), inner),
    max_leaves=4,
)
field_names = st.sampled_from(
    ["version", "partitions", "topic_id", "leader", "isr", "endpoints", "host", "port", "rack", "config", "acls",
     "entity_path", "timestamp", "features", "subscription", "topic", "replicas", "adding_replicas", "id"]
)  # fmt: skip
documents = st.dictionaries(field_names, json_values).map(lambda fields: json.dumps(fields).encode())


@pytest.mark.parametrize(("pattern", "decode", "encode"), CODECS, ids=[pattern for pattern, _, _ in CODECS])
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.binary(max_size=40) | documents)
def test_any_bytes_give_a_value_that_can_be_written_or_a_payload_error(
    pattern: str, decode: Decode, encode: Encode, data: bytes
) -> None:
    try:
        value = decode("/p", data)
    except PayloadError:
        return
    assert isinstance(encode(value), bytes)
