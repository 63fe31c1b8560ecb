#!/usr/bin/env bash
# Fills .peers/spark-connector with Spark's own Kafka connector: it must work on Ottla, and ours is measured beside it.
# Each jar is fetched alone: Spark's poms name a second repository that need not be reachable. The connector is of the
# pyspark version in constraints.txt; its token provider works with it although it is older.
set -euo pipefail
source "$(dirname "$0")/common.sh"
target=$PWD/.peers/spark-connector

artifacts=(
    org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0
    org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0
    org.apache.kafka:kafka-clients:3.9.2
    org.apache.commons:commons-pool2:2.12.1
)

[ "$(cat "$target/complete" 2>/dev/null)" != "${artifacts[*]}" ] || exit 0
say "Spark's own Kafka connector from Maven"
rm -rf "$target"
for artifact in "${artifacts[@]}"; do
    mvn -q -B dependency:copy -Dartifact="$artifact" -DoutputDirectory="$target"
done
echo "${artifacts[*]}" >"$target/complete"
