#!/usr/bin/env bash
# Adds what the tests need from outside: Python clients, Debian's kcat and ZooKeeper, a JDK, Kafka's own jars.
set -euo pipefail
source "$(dirname "$0")/common.sh"

say "installing the test extras"
.venv/bin/python -m pip install -q --disable-pip-version-check -e '.[test]' -c constraints.txt

wanted=()
for pair in kcat:kcat strace:strace nft:nftables ip:iproute2 java:default-jdk-headless javac:default-jdk-headless \
    mvn:maven go:golang-go; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "${pair%%:*}" >/dev/null || wanted+=("${pair##*:}")
done
[ -d /usr/share/zookeeper ] || wanted+=(zookeeper)
apt_install "${wanted[@]}"

for part in scripts/setup_peers.sh scripts/setup_kio.sh scripts/setup_kazoo_tests.sh \
    scripts/setup_spark_connector.sh; do
    [ ! -x "$part" ] || "$part" || missing "what $part fetches"
done
