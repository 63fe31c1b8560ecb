"""`kafka-features describe`: the features that the cluster knows. They belong to KRaft; on ZooKeeper there are none."""

import sys
from collections.abc import Sequence

from ottla.cli.kafka.options import ToolOptions
from ottla.cli.one_request import fetch_api_versions


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka-features", "The features of the cluster.")
    options.value("--bootstrap-server", required=True)
    options.value("--command-config", help="accepted, without effect")
    options.add_argument("action", choices=["describe", "upgrade", "downgrade", "disable"])
    given, _rest = options.parse_known_args(list(arguments))
    if given.action != "describe":
        print("The features of a cluster on ZooKeeper cannot be changed.", file=sys.stderr)
        return 1
    found = fetch_api_versions(given.bootstrap_server)
    finalized = {feature.name: feature.max_version_level for feature in found.finalized_features}
    for feature in sorted(found.supported_features, key=lambda one: one.name):
        print(
            f"Feature: {feature.name}\tSupportedMinVersion: {feature.min_version}\t"
            f"SupportedMaxVersion: {feature.max_version}\tFinalizedVersionLevel: {finalized.get(feature.name, 0)}\t"
            f"Epoch: {found.finalized_features_epoch}"
        )
    return 0
