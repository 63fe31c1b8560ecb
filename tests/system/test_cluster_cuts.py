"""Three brokers with links that are cut: who cannot know that it leads acknowledges nothing, and says who does."""

from pathlib import Path

import pytest

from support.checked_run import TOPIC, checked_run
from support.cluster import cluster_with_links
from support.eventually import eventually


@pytest.mark.timeout(240)
def test_a_leader_cut_from_zookeeper_alone_loses_nothing_and_holds_nobody_up(tmp_path: Path) -> None:
    with cluster_with_links(tmp_path) as (cluster, links), checked_run(cluster, idempotent=False) as clients:
        cut = cluster.leader(TOPIC)
        links.freeze(cut)
        eventually(lambda: cluster.leader(TOPIC) != cut)
        clients.await_acknowledged(100)
        links.heal(cut)
