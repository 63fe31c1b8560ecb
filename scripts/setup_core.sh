#!/usr/bin/env bash
# Makes .venv with a python3 >= 3.11 and installs ottla into it. The kernels are compiled where a C compiler
# and Python's headers can be had; without them they run interpreted, and the broker's log says so.
set -euo pipefail
source "$(dirname "$0")/common.sh"

if [ ! -x .venv/bin/pip ]; then
    python=$(scripts/choose_python.sh) || { apt_install python3 && python=$(scripts/choose_python.sh); } || {
        echo "Ottla needs python3 3.11 or newer on the PATH." >&2
        exit 1
    }
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
