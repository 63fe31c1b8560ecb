"""`python -m bench [--quick] [--cases WORD...] [--against REV] [--page]`: see the package's docstring."""

import argparse
import compileall
import contextlib
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from confluent_kafka import KafkaException

from bench import report
from bench.brokers import BrokerProcess, Kafka, Ottla, missing_parts
from bench.cases import ALL_CASES
from bench.driver import ROOT
from bench.earlier import earlier, without_regression
from bench.machine import describe_machine
from bench.measures import FULL, QUICK, Case, Effort, Row, rows_of
from bench.rounds import run_case
from bench.warm_up import warm_up
from ottla.records.kernels import KERNELS_COMPILED


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description="Ottla beside warm Apache Kafka 4.3.0.")
    parser.add_argument("--quick", action="store_true", help="one short round of the short cases: under 5 minutes")
    parser.add_argument("--cases", nargs="*", default=[], metavar="WORD", help="only cases whose name has one of these")
    parser.add_argument("--only", choices=["kafka", "ottla"], help="one broker alone, while working on it")
    parser.add_argument("--against", metavar="REV", help="beside an earlier commit of Ottla instead of Kafka")
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    parser.add_argument("--page", action="store_true", help="renew docs/benchmarks.md even if not all cases ran")
    return parser.parse_args()


def selected_cases(words: list[str], *, quick: bool) -> list[Case]:
    """Those that are named; without a name all, of a quick run only the short ones."""
    if words:
        return [case for case in ALL_CASES if any(word in case.name for word in words)]
    return [case for case in ALL_CASES if case.in_quick_run or not quick]


@contextlib.contextmanager
def running_brokers(kinds: list[type[BrokerProcess]]) -> Iterator[list[BrokerProcess]]:
    folder = Path(tempfile.mkdtemp(prefix="ottla-bench-"))
    brokers: list[BrokerProcess] = []
    try:
        for kind in kinds:
            broker = kind(folder / kind.name)
            brokers.append(broker)
            print(f"{kind.name} is up after {broker.start():.2f} s on port {broker.port}", flush=True)
        yield brokers
    finally:
        for broker in brokers:
            broker.stop()
        shutil.rmtree(folder, ignore_errors=True)


def run(cases: list[Case], kinds: list[type[BrokerProcess]], effort: Effort) -> Iterator[list[Row]]:
    """The rows of one case after the other."""
    with running_brokers(kinds) as brokers:
        warm_up(brokers, effort)
        for case in cases:
            yield run_and_print(case, brokers, effort)


def until_stopped(measured: Iterator[list[Row]]) -> tuple[list[Row], bool]:
    """What was measured, and whether all was: a run that is stopped keeps what it has."""
    rows: list[Row] = []
    for number in (signal.SIGINT, signal.SIGTERM):  # What runs in the background has SIGINT ignored.
        signal.signal(number, signal.default_int_handler)
    try:
        for of_case in measured:
            rows += of_case
    except KeyboardInterrupt:
        return rows, False
    return rows, True


def run_and_print(case: Case, brokers: list[BrokerProcess], effort: Effort) -> list[Row]:
    """A case that fails is said so, and the others go on."""
    try:
        began = time.monotonic()
        rows = rows_of(run_case(case, brokers, effort))
    except (RuntimeError, OSError, KafkaException) as error:
        print(f"{case.name} FAILED: {error}", flush=True)
        return []
    report.print_rows(rows)
    print(f"    {case.name} took {time.monotonic() - began:.0f} s", flush=True)
    return rows


def main() -> None:
    arguments = parse_arguments()
    cases = selected_cases(arguments.cases, quick=arguments.quick)
    if arguments.list:
        print("\n".join(case.name for case in cases))
        return
    kinds: list[type[BrokerProcess]] = [kind for kind in (Kafka, Ottla) if arguments.only in (None, kind.name.lower())]
    if arguments.against:
        kinds = [earlier(arguments.against), Ottla]
        cases = [
            without_regression(case) for case in cases if set(case.brokers) == {Kafka, Ottla} and case.in_quick_run
        ]
    problem = missing_parts() if Kafka in kinds else None
    if problem:
        sys.exit(problem)
    # As `make setup` leaves it: the sources may have changed since, and where Python may not write bytecode each start
    # would compile them anew.
    compileall.compile_dir(ROOT / "src", quiet=1)
    if not KERNELS_COMPILED:
        sys.exit("the record kernels are not compiled, or their sources have changed since: run `make setup` first")
    machine = describe_machine()
    began = time.monotonic()
    effort_name, effort = ("quick", QUICK) if arguments.quick else ("full", FULL)
    rows, is_whole = until_stopped(run(cases, kinds, effort))
    report.print_summary(rows)
    results = report.save_results(machine, effort_name, rows)
    print(f"{time.monotonic() - began:.0f} s; results in {results.relative_to(ROOT)}")
    if arguments.against:
        return
    all_cases = len(cases) == len(ALL_CASES) and not arguments.quick and not arguments.only
    if is_whole and (arguments.page or all_cases):
        report.write_page([results] if all_cases else [results, report.PAGE_RESULTS])


if __name__ == "__main__":
    main()
