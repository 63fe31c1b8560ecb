#!/usr/bin/env bash
# Adds what the tests need.
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/python -m pip install -q -e '.[test]' -c constraints.txt
