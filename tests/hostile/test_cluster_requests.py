"""Three brokers and somebody who sends them anything, forged fetches of their followers too: nothing that was
acknowledged is lost, the replicas end equal and in sync, no broker fails.
"""

import random
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from hostile import forged_controllers, forged_followers
from hostile.kept_records import TOPIC, KeptRecords
from hostile.known_state import make_state, served_apis
from hostile.listeners import broker_with_two_listeners, inside_address
from hostile.replica_files import assert_replicas_end_equal
from hostile.requests import HostileRequests
from hostile.rounds import count_of, seed_of
from hostile.stranger import Stranger
from hostile.well_being import assert_serves, assert_stops, assert_well
from support.acknowledged import AcknowledgedProducer, assert_nothing_lost
from support.cluster import Cluster, cluster_in
from support.raw_kafka import RawKafka, RawKafkaError, topic_metadata
from support.raw_requests import LATEST, list_offsets

LOOK_EVERY = 250
WRITTEN = "written"


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 300), pytest.param(2, 20_000, marks=[pytest.mark.long, pytest.mark.timeout(900)])]
)
def test_cluster_withstands_any_request(tmp_path: Path, pytestconfig: pytest.Config, seed: int, count: int) -> None:
    seed, count = seed_of(pytestconfig, seed), count_of(pytestconfig, count)
    print(f"again with --hostile-seed={seed} --hostile-rounds={count}")
    with cluster_in(tmp_path, make_broker=broker_with_two_listeners) as cluster, ExitStack() as stack:
        kept = KeptRecords(cluster.brokers[0].address, replicas=3)
        cluster.create_topic(WRITTEN)
        with AcknowledgedProducer(cluster.bootstrap, WRITTEN, {"acks": "all"}) as producer:
            producer.await_more(10)
            harass(cluster, seed, count, stack)
            producer.await_more(10)
        assert producer.errors == []
        for topic in (WRITTEN, TOPIC):
            cluster.await_in_sync(topic)
            assert_replicas_end_equal(cluster, topic)
        leader = cluster.brokers[cluster.leader(WRITTEN)]
        assert_nothing_lost(leader.address, WRITTEN, producer)
        kept.assert_unchanged(cluster.brokers[cluster.leader(TOPIC)].address)
        for broker in cluster.brokers.values():
            assert_well(broker)
            assert_stops(broker)


def harass(cluster: Cluster, seed: int, count: int, stack: ExitStack) -> None:
    rng = random.Random(seed)
    state = make_state(cluster.brokers[0].address, stack, replicas=3)
    requests = HostileRequests(seed, served_apis(cluster.brokers[0].address), state)
    strangers = [stack.enter_context(Stranger(broker.address)) for broker in cluster.brokers.values()]
    for number in range(count):
        rng.choice(strangers).send(requests.frame())
        if number % LOOK_EVERY == 0:
            for broker in cluster.brokers.values():
                assert_serves(broker.address)
                assert_well(broker)


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 200), pytest.param(2, 5_000, marks=[pytest.mark.long, pytest.mark.timeout(600)])]
)
def test_forged_brokers_change_no_log_and_keep_no_true_one_away(
    tmp_path: Path, pytestconfig: pytest.Config, seed: int, count: int
) -> None:
    """On the brokers' own listener too."""
    seed, count = seed_of(pytestconfig, seed), count_of(pytestconfig, count)
    print(f"again with --hostile-seed={seed} --hostile-rounds={count}")
    with cluster_in(tmp_path, make_broker=broker_with_two_listeners) as cluster:
        cluster.create_topic(WRITTEN)
        with AcknowledgedProducer(cluster.bootstrap, WRITTEN, {"acks": "all"}) as producer:
            producer.await_more(10)
            forge(cluster, random.Random(seed), count)
            producer.await_more(10)
        assert producer.errors == []
        cluster.await_in_sync(WRITTEN)
        assert_replicas_end_equal(cluster, WRITTEN)
        assert_nothing_lost(cluster.brokers[cluster.leader(WRITTEN)].address, WRITTEN, producer)
        for broker in cluster.brokers.values():
            assert_well(broker)
            assert_stops(broker)


def forge(cluster: Cluster, rng: random.Random, count: int) -> None:
    topic_id = topic_metadata(cluster.brokers[0].address, WRITTEN).topic_id
    broker_ids = tuple(cluster.brokers)
    for _ in range(count):
        broker = cluster.brokers[rng.choice(broker_ids)]
        with RawKafka(rng.choice((broker.address, inside_address(broker)))) as raw:
            if rng.random() < 0.3:
                answer = raw.ask(*forged_controllers.forged(rng, WRITTEN, topic_id, broker_ids))
                assert answer.error_code, f"{type(answer).__name__} of a stranger was believed"
                continue
            end = max(0, list_offsets(raw, WRITTEN, LATEST).offset)
            with suppress(RawKafkaError, ConnectionError):
                raw.ask(*forged_followers.forged(rng, WRITTEN, topic_id, end, broker_ids))
