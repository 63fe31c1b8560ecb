"""Three brokers under kill -9, SIGSTOP and SIGTERM: no acknowledged record is lost, replicas end equal."""

import time
from pathlib import Path

import pytest

from support.checked_run import TOPIC, checked_run
from support.cluster import SESSION_TIMEOUT_MS, Cluster, cluster_in
from support.eventually import eventually
from support.zookeepers import debian_server

DOWN_S = SESSION_TIMEOUT_MS / 1000 + 0.5


def kill_in_turn(cluster: Cluster, seconds: float) -> None:
    """The leader, the controller, a follower: again and again, each when the cluster is whole."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for victim in (
            lambda: cluster.leader(TOPIC),
            lambda: controller_that_follows(cluster),
            lambda: cluster.other_than(cluster.leader(TOPIC)),
        ):
            cluster.kill_and_restart(victim(), down_s=DOWN_S)
            cluster.await_in_sync(TOPIC)


def controller_that_follows(cluster: Cluster) -> int:
    """The next controller takes it out of the ISR, in a new epoch of the leader that stays, while produces wait."""
    while (controller := cluster.controller()) == cluster.leader(TOPIC):
        assert cluster.brokers[controller].stop() == 0
        cluster.restart(controller)
        cluster.await_in_sync(TOPIC)
    return controller


@pytest.mark.timeout(240)
@pytest.mark.parametrize("idempotent", [True, pytest.param(False, marks=pytest.mark.long)])
def test_kills_of_leader_controller_and_follower_lose_nothing(tmp_path: Path, idempotent: bool) -> None:
    with cluster_in(tmp_path) as cluster, checked_run(cluster, idempotent=idempotent, java=True):
        kill_in_turn(cluster, 1)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("idempotent", [True, False])
def test_five_minutes_of_kills_on_debians_zookeeper_lose_nothing(tmp_path: Path, idempotent: bool) -> None:
    with (
        cluster_in(tmp_path, zookeeper=debian_server(tmp_path / "zookeeper")) as cluster,
        checked_run(cluster, idempotent=idempotent, java=True),
    ):
        kill_in_turn(cluster, 300)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_ten_minutes_of_killed_controllers_and_followers_double_nothing(tmp_path: Path) -> None:
    """Idempotent producers of librdkafka (many batches in flight), Java and kafka-python: each value stands once."""
    with (
        cluster_in(tmp_path) as cluster,
        checked_run(cluster, idempotent=True, java=True, kafka_python=True, pause_s=0.001) as clients,
    ):
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            cluster.kill_and_restart(controller_that_follows(cluster), down_s=DOWN_S)
            cluster.await_in_sync(TOPIC)
            cluster.kill_and_restart(cluster.other_than(cluster.leader(TOPIC)), down_s=DOWN_S)
            cluster.await_in_sync(TOPIC)
            clients.await_acknowledged(100)


@pytest.mark.long
@pytest.mark.timeout(240)
@pytest.mark.parametrize("idempotent", [True, False])
def test_two_leaders_killed_one_right_after_the_other_lose_nothing(tmp_path: Path, idempotent: bool) -> None:
    """KIP-279: the second election comes before everybody has fetched from the first winner."""
    with cluster_in(tmp_path) as cluster, checked_run(cluster, idempotent=idempotent) as clients:
        first = cluster.leader(TOPIC)
        cluster.brokers[first].kill()
        # Asked once each time: the next answer may differ. -1: nobody leads yet.
        (second,) = eventually(lambda: {cluster.leader(TOPIC)} - {first, -1})
        cluster.brokers[second].kill()
        for broker_id in (first, second):
            cluster.restart(broker_id)
        clients.await_acknowledged(100)


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_follower_bounced_again_and_again_is_no_leader_that_lacks_records(tmp_path: Path) -> None:
    """KIP-903: what its leader knew of it before its restart must not bring it back into the ISR."""
    with cluster_in(tmp_path) as cluster, checked_run(cluster, idempotent=False) as clients:
        leader = cluster.leader(TOPIC)
        follower = cluster.other_than(leader)
        for _ in range(5):
            cluster.kill_and_restart(follower, down_s=0)
        cluster.kill_and_restart(leader, down_s=SESSION_TIMEOUT_MS / 1000 + 0.5)
        clients.await_acknowledged(100)


@pytest.mark.long
@pytest.mark.timeout(240)
def test_all_brokers_killed_at_once_lose_nothing(tmp_path: Path) -> None:
    """What a killed process wrote is in the page cache: whoever is back first may lead, and does."""
    with cluster_in(tmp_path) as cluster, checked_run(cluster, idempotent=True) as clients:
        for broker in cluster.brokers.values():
            broker.kill()
        for broker_id in (2, 1):
            cluster.restart(broker_id)
        eventually(lambda: cluster.leader(TOPIC) in (1, 2))  # when the session of the dead leader has ended
        clients.await_acknowledged(100)
        cluster.restart(0)


@pytest.mark.timeout(240)
def test_a_stopped_leader_acknowledges_nothing_when_it_goes_on(tmp_path: Path) -> None:
    with cluster_in(tmp_path) as cluster, checked_run(cluster, idempotent=False):
        stopped = cluster.leader(TOPIC)
        cluster.brokers[stopped].pause()
        resume_at = time.monotonic() + 2 * SESSION_TIMEOUT_MS / 1000
        eventually(lambda: time.monotonic() > resume_at)
        cluster.brokers[stopped].resume()
        eventually(lambda: cluster.leader(TOPIC) != stopped)


@pytest.mark.timeout(240)
def test_rolling_restart_by_sigterm_reaches_no_client(tmp_path: Path) -> None:
    with cluster_in(tmp_path) as cluster, checked_run(cluster, idempotent=True) as clients:
        for broker_id, broker in cluster.brokers.items():
            assert broker.stop() == 0, broker.tail()
            eventually(lambda stopped=broker_id: cluster.leader(TOPIC) != stopped)
            cluster.restart(broker_id)
            cluster.await_in_sync(TOPIC)
    assert {op.type for op in clients.producer.history} == {"ok"}
