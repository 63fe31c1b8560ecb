#!/usr/bin/env bash
# Makes .venv with the first python3 >= 3.11 and installs ottla into it, kernels compiled where a C compiler can be had.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip install -q -e . -c constraints.txt
