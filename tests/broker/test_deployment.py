"""Whether a broker process is alone in its cluster."""

import pytest

from ottla.broker.deployment import Deployment, plan_deployment
from ottla.config import BrokerConfig


def deployment(**properties: str) -> Deployment:
    own = {"log.dirs": "/data/a/logs,/data/b/logs"}
    return plan_deployment(BrokerConfig.load(own | {key.replace("_", "."): value for key, value in properties.items()}))


def test_a_process_without_zookeeper_connect_is_alone_and_has_a_zookeeper_beside_its_first_log_directory() -> None:
    alone = deployment()
    assert alone.is_alone
    assert (alone.zookeeper_data_dir, alone.zookeeper_port) == ("/data/a/zookeeper", 2181)
    assert deployment(ottla_zookeeper_data_dir="/elsewhere").zookeeper_data_dir == "/elsewhere"


def test_a_process_with_zookeeper_connect_is_never_taken_to_be_alone() -> None:
    one_of_several = deployment(zookeeper_connect="zk1:2181,zk2:2181/chroot")
    assert not one_of_several.is_alone
    assert one_of_several.zookeeper_connect == "zk1:2181,zk2:2181/chroot"
    assert not one_of_several.may_search_port


@pytest.mark.parametrize(("port", "may_search"), [("2181", True), ("0", False)])
def test_only_a_port_that_was_asked_for_may_be_passed_over(port: str, may_search: bool) -> None:
    assert deployment(ottla_zookeeper_port=port).may_search_port is may_search
