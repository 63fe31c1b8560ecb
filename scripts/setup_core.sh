#!/usr/bin/env bash
# Makes .venv with the first python3 >= 3.11 and installs ottla into it. The kernels are compiled where a C compiler
# and Python's headers can be had; without them they run interpreted, and the broker's log says so.
set -euo pipefail
source "$(dirname "$0")/common.sh"

first_python() {
    local candidate
    for candidate in $(type -ap python3) python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

python=$(first_python) || { apt_install python3 && python=$(first_python); } || {
    echo "Ottla needs python3 3.11 or newer on the PATH." >&2
    exit 1
}

if [ ! -x .venv/bin/pip ]; then
    wanted=()
    "$python" -c 'import venv, ensurepip' 2>/dev/null || wanted+=(python3-venv)
    command -v cc >/dev/null || wanted+=(gcc libc6-dev)
    "$python" -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
        wanted+=(python3-dev)
    apt_install "${wanted[@]}"
    say "making .venv with $("$python" --version)"
    "$python" -m venv --clear .venv
fi

say "installing ottla and its dependencies"
.venv/bin/python -m pip install -q --disable-pip-version-check -e . -c constraints.txt
# Bytecode now, so that the first start is as quick as the second (also where Python may not write it later).
.venv/bin/python -m compileall -q src
