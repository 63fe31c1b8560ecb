"""Three brokers with links that are cut: who cannot know that it leads acknowledges nothing, and says who does."""

import time
from pathlib import Path

import pytest

from support.checked_run import TOPIC, checked_run
from support.cluster import LAG_TIME_MAX_MS, SESSION_TIMEOUT_MS, cluster_with_links
from support.eventually import eventually
from support.namespaces import Namespaces, namespaced_cluster


@pytest.mark.timeout(240)
def test_a_leader_cut_from_zookeeper_alone_loses_nothing_and_holds_nobody_up(tmp_path: Path) -> None:
    with cluster_with_links(tmp_path) as (cluster, links), checked_run(cluster, idempotent=False, java=True) as clients:
        cut = cluster.leader(TOPIC)
        links.freeze(cut)
        eventually(lambda: cluster.leader(TOPIC) != cut)
        clients.await_acknowledged(100)
        links.heal(cut)


@pytest.mark.long
@pytest.mark.timeout(240)
def test_all_brokers_cut_from_zookeeper_go_on_when_it_is_back(tmp_path: Path) -> None:
    with cluster_with_links(tmp_path) as (cluster, links), checked_run(cluster, idempotent=True) as clients:
        for broker_id in cluster.brokers:
            links.freeze(broker_id)
        hold(3 * SESSION_TIMEOUT_MS / 1000)
        for broker_id in cluster.brokers:
            links.heal(broker_id)
        clients.await_acknowledged(100)


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_controller_cut_from_zookeeper_is_followed_by_another(tmp_path: Path) -> None:
    with cluster_with_links(tmp_path) as (cluster, links), checked_run(cluster, idempotent=True) as clients:
        cut_off = cluster.controller()
        links.freeze(cut_off)
        eventually(lambda: cluster.controller() != cut_off)
        cluster.create_topic("made-meanwhile", replicas=2)
        clients.await_acknowledged(100)
        links.heal(cut_off)


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "direction",
    [
        pytest.param("both ways"),
        pytest.param("to its followers", marks=pytest.mark.long),
        pytest.param("from its followers", marks=pytest.mark.long),
    ],
)
def test_a_leader_cut_from_its_followers_acknowledges_nothing_alone(tmp_path: Path, direction: str) -> None:
    """It sees ZooKeeper, so it leads on: with too few replicas in sync for acks=all."""
    with namespaced_cluster(tmp_path) as (cluster, network), checked_run(cluster, idempotent=True) as clients:
        leader = cluster.leader(TOPIC)
        for follower in cluster.brokers.keys() - {leader}:
            cut(network, leader, follower, direction)
        hold(LAG_TIME_MAX_MS / 1000 * 1.6)
        network.heal()
        clients.await_acknowledged(100)


@pytest.mark.long
@pytest.mark.timeout(240)
@pytest.mark.parametrize("direction", ["both ways", "to its followers", "from its followers"])
def test_a_follower_cut_from_its_leader_leaves_the_isr_and_comes_back(tmp_path: Path, direction: str) -> None:
    with namespaced_cluster(tmp_path) as (cluster, network), checked_run(cluster, idempotent=False) as clients:
        leader = cluster.leader(TOPIC)
        follower = next(broker for broker in cluster.brokers if broker not in (leader, cluster.controller()))
        cut(network, leader, follower, direction)
        eventually(lambda: follower not in cluster.partition(TOPIC).isrs)
        clients.await_acknowledged(100)
        network.heal()


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_controller_cut_from_all_brokers_holds_nobody_up_when_it_is_back(tmp_path: Path) -> None:
    with namespaced_cluster(tmp_path) as (cluster, network), checked_run(cluster, idempotent=True) as clients:
        controller = cluster.controller()
        for other in cluster.brokers.keys() - {controller}:
            cut(network, controller, other, "both ways")
        hold(LAG_TIME_MAX_MS / 1000 * 1.6)
        network.heal()
        clients.await_acknowledged(100)


def cut(network: Namespaces, leader: int, follower: int, direction: str) -> None:
    if direction != "from its followers":
        network.cut(leader, follower)
    if direction != "to its followers":
        network.cut(follower, leader)


def hold(seconds: float) -> None:
    """The fault lasts this long: longer than anybody's patience."""
    until = time.monotonic() + seconds
    eventually(lambda: time.monotonic() > until)
