#!/usr/bin/env bash
# Fills .peers/ with the programs that Ottla is tested and measured against: Apache Kafka's jars (3.9.1 and 4.3.0, from
# Maven), our small Java and Go programs that use Kafka's clients, and older Python clients in folders of their own.
set -euo pipefail
source "$(dirname "$0")/common.sh"
mkdir -p .peers

kafka_jars() {
    local version=$1 target=.peers/kafka-$1
    [ ! -e "$target/complete" ] || return 0
    say "Apache Kafka $version from Maven"
    mvn -q -B -f tests/peers/kafka/pom.xml -Dkafka.version="$version" dependency:copy-dependencies \
        -DoutputDirectory="$PWD/$target/lib" -DincludeScope=runtime && touch "$target/complete"
}

# The programs are compiled once against the older client and run with either set of jars.
java_programs() {
    local sources=(tests/peers/java/*.java) target=.peers/java
    [ -e "${sources[0]}" ] || return 0
    [ ! -e "$target/complete" ] || [ -n "$(find tests/peers/java -newer "$target/complete" -print -quit)" ] || return 0
    say "compiling the Java programs"
    mkdir -p "$target"
    javac -nowarn -cp ".peers/kafka-3.9.1/lib/*" -d "$target" "${sources[@]}" && touch "$target/complete"
}

# Go from 1.21 on gets the version that go.mod asks for by itself. Debian's may be older: then we ask for it, as a module.
GO_VERSION=1.26.0
modern_go() {
    local minor
    minor=$(go env GOVERSION | cut -d. -f2)
    if [ "${minor%%[!0-9]*}" -ge 21 ]; then
        command -v go
        return
    fi
    local module="golang.org/toolchain@v0.0.1-go$GO_VERSION.$(go env GOOS)-$(go env GOARCH)" cache=$PWD/.peers/go-toolchain
    local root=$cache/$module
    if [ ! -x "$root/bin/go" ]; then
        mkdir -p "$cache"
        (cd "$cache" && printf 'module toolchain\n' > go.mod && GOFLAGS=-modcacherw GOMODCACHE=$cache go mod download "$module") >&2
        chmod -R u+x "$root/bin" "$root/pkg/tool"
    fi
    echo "$root/bin/go"
}

go_programs() {
    [ -e tests/peers/go/go.mod ] || return 0
    local target=$PWD/.peers/go/franz
    [ ! -e "$target" ] || [ -n "$(find tests/peers/go -newer "$target" -print -quit)" ] || return 0
    say "building the Go program"
    mkdir -p .peers/go
    local go
    go=$(modern_go) && (cd tests/peers/go && "$go" build -o "$target" .)
}

# The newest kafka-python no longer speaks the oldest protocol versions.
old_kafka_python() {
    local target=.peers/kafka-python-2.3.3
    [ ! -d "$target" ] || return 0
    say "kafka-python 2.3.3 in a folder of its own"
    .venv/bin/python -m pip install -q --disable-pip-version-check --target "$target" --no-deps kafka-python==2.3.3
}

status=0
for part in "kafka_jars 3.9.1" "kafka_jars 4.3.0" java_programs go_programs old_kafka_python; do
    $part || { missing "$part"; status=1; }
done
exit $status
