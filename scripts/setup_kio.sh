#!/usr/bin/env bash
# kio, an independent implementation of Kafka's protocol, as the oracle of our codec: 0.5.0 knows Kafka 3.9 (version 0 and
# the messages between ZooKeeper's brokers), 0.6.5 knows 4.x. Both have the same package name, so each gets a folder.
set -euo pipefail
source "$(dirname "$0")/common.sh"

for version in 0.5.0 0.6.5; do
    target=.peers/kio-$version
    [ ! -e "$target/complete" ] || continue
    say "kio $version in a folder of its own"
    rm -rf "$target"
    .venv/bin/python -m pip install -q --disable-pip-version-check --target "$target" "kio==$version"
    touch "$target/complete"
done
