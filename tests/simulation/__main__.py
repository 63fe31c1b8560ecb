"""`python -m simulation --seeds 0:50 [--bug NAME] [--verbose]`: run seeds; exit code 1 when one is violated.

PYTHONHASHSEED must be 0, since sets of names are walked in the order of their hashes: the command sees to that.
"""

import argparse
import importlib
import logging
import os
import sys

from simulation.simulation import run_seed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m simulation", description=__doc__)
    parser.add_argument("--seeds", default="0:50", help="one seed, or first:end")
    parser.add_argument("--bug", help="a module of simulation.seeded_bugs: at least one seed must be violated")
    parser.add_argument("--verbose", action="store_true", help="the brokers' logs and the faults of each seed")
    parser.add_argument("--count", action="store_true", help="print what happened in each seed, in figures")
    options = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        os.execve(sys.executable, [sys.executable, "-m", "simulation", *sys.argv[1:]], environment)
    if options.verbose:
        logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="%(name)s %(message)s")
    if options.bug:
        importlib.import_module(f"simulation.seeded_bugs.{options.bug}").apply()
    first, colon, end = options.seeds.partition(":")
    seeds = range(int(first), int(end) if colon else int(first) + 1)
    return run_all(seeds, count=options.count or options.verbose, stop=bool(options.bug))


def run_all(seeds: range, *, count: bool, stop: bool) -> int:
    violated = 0
    for seed in seeds:
        simulation = run_seed(seed)
        if simulation.violation is not None:
            violated += 1
            print(f"seed {seed}: {simulation.violation}")
            print("\n".join(simulation.faults.log))
            print(f"replay: python -m simulation --seeds {seed} --verbose", flush=True)
            if stop:
                break
        elif count:
            print("\n".join(simulation.faults.log))
            counts = [len(audit.acknowledged) for audit in simulation.auditor.partitions.values()]
            print(f"seed {seed}: {simulation.events} events, acknowledged {counts}, {simulation.elapsed():.0f} s")
    print(f"{len(seeds)} seeds, {violated} violated")
    return 1 if violated else 0


if __name__ == "__main__":
    sys.exit(main())
