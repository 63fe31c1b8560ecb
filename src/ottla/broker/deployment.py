"""Whether this broker process is alone in its cluster: decided here, once, and taken from here by who depends on it.

    zookeeper.connect is set    one process of several, or of several to come: nothing is founded, nothing searched for
    it is not set               alone: it runs a ZooKeeper of its own, and may listen on the next free port with it

A second process without `zookeeper.connect` is alone, too: it has a cluster of its own. Only its log directories can
tell that it was meant to be in another (`zookeeper_directory`). All processes of one cluster, on one host or on many,
are given `zookeeper.connect`.
"""

import os
from typing import NamedTuple

from ottla.config import BrokerConfig


class Deployment(NamedTuple):
    """`zookeeper_connect` is None where the process is alone; the fields after it are those of its own server."""

    zookeeper_connect: str | None
    zookeeper_data_dir: str
    zookeeper_port: int
    """0: any free port."""

    @property
    def is_alone(self) -> bool:
        return self.zookeeper_connect is None

    @property
    def may_search_port(self) -> bool:
        """Whether the server may listen on a later port than the one that was asked for."""
        return self.is_alone and self.zookeeper_port != 0


def plan_deployment(config: BrokerConfig) -> Deployment:
    """`ottla.zookeeper.data.dir` is the folder `zookeeper` beside the first log directory where it is not set."""
    beside = os.path.join(os.path.dirname(os.path.abspath(config.log_dirs[0])), "zookeeper")
    return Deployment(
        zookeeper_connect=config.string("zookeeper.connect") or None,
        zookeeper_data_dir=config.string("ottla.zookeeper.data.dir") or beside,
        zookeeper_port=config.int("ottla.zookeeper.port"),
    )
