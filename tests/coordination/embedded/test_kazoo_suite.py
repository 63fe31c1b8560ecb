"""kazoo's own test suite, which its package brings along, against `ottla zookeeper`."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.peers import ROOT

KNOWN_FAILURES = Path(__file__).with_name("kazoo_known_failures.txt")
QUICK_MODULES = ["test_client", "test_counter", "test_party", "test_queue", "test_barrier", "test_election"]
SLOW_IN_QUICK_MODULES = "test_listener_only_called_on_real_state_change"


def known_failures() -> set[str]:
    lines = KNOWN_FAILURES.read_text().splitlines()
    return {line.split()[0] for line in lines if line and not line.startswith("#")}


def run_kazoo_tests(directory: Path, modules: list[str], *options: str, timeout: float) -> tuple[set[str], int]:
    """The tests that failed, and how many passed."""
    environment = {key: value for key, value in os.environ.items() if key != "CI"} | {
        "PYTHONPATH": str(ROOT / "tests"),
        "ZOOKEEPER_VERSION": "3.9.3",
        "ZOOKEEPER_CLUSTER_SIZE": "1",
    }
    command = [
        sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", str(directory), "-p", "support.kazoo_harness",
        "-p", "no:cacheprovider", "-q", "-rf", "--tb=short", "--timeout=60", *options,
        "--pyargs", *modules,
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode in (0, 1), done.stdout[-4000:] + done.stderr[-4000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None, done.stdout[-4000:]
    failed = {f"{Path(name).name}" for name in re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)}
    print(done.stdout[-6000:])
    return failed, int(passed[1])


def test_the_known_failures_are_ten_at_most() -> None:
    assert len(known_failures()) <= 10


def test_kazoos_tests_of_client_and_recipes_pass(tmp_path: Path) -> None:
    skipped = [name.rpartition("::")[2] for name in known_failures()] + [SLOW_IN_QUICK_MODULES]
    chosen = " and ".join(f"not {name}" for name in skipped if name != "test_create") + " and not TestSSLClient"
    modules = [f"kazoo.tests.{module}" for module in QUICK_MODULES]
    failed, passed = run_kazoo_tests(tmp_path, modules, "-k", chosen, timeout=100)
    assert failed == set()
    assert passed > 100


@pytest.mark.long
@pytest.mark.timeout(600)
def test_kazoos_whole_suite_fails_only_where_it_is_known_to(tmp_path: Path) -> None:
    failed, passed = run_kazoo_tests(tmp_path, ["kazoo.tests"], timeout=590)
    assert failed <= known_failures()
    assert passed > 290
