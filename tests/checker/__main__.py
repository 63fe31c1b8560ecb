"""`python -m checker HISTORY [--idempotent]`: exit code 1 when the history breaks a rule."""

import argparse
import json
import sys
from pathlib import Path

from checker.rules import Operation, check


def read_history(path: Path) -> list[Operation]:
    return [Operation(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m checker", description=__doc__)
    parser.add_argument("history", type=Path)
    parser.add_argument("--idempotent", action="store_true", help="the producers were: each value may be there once")
    options = parser.parse_args()
    breaches = check(read_history(options.history), idempotent=options.idempotent)
    for breach in breaches:
        print(breach)
    print(f"{len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
