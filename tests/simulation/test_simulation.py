"""Seeds of the simulation: 50 in `make test`, 1,000 and the seeded bugs in `make test-long`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
SEEDED_BUGS = sorted(path.stem for path in (TESTS / "simulation" / "seeded_bugs").glob("[a-z]*.py"))


def simulate(*arguments: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, since PYTHONHASHSEED decides the order of sets."""
    return subprocess.run(
        [sys.executable, "-m", "simulation", *arguments],
        cwd=TESTS,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.timeout(600)  # half a minute of CPU, which a busy machine takes its time for
def test_invariants_hold_in_fifty_seeds() -> None:
    outcome = simulate("--seeds", "0:50")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


def test_a_seed_runs_the_same_events_each_time() -> None:
    first, second = (simulate("--seeds", "3", "--count") for _ in range(2))
    assert first.returncode == 0, first.stdout + first.stderr
    assert first.stdout == second.stdout


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("first", range(50, 1050, 100))
def test_invariants_hold_in_a_thousand_seeds(first: int) -> None:
    outcome = simulate("--seeds", f"{first}:{first + 100}")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("bug", SEEDED_BUGS)
def test_a_seeded_bug_is_caught(bug: str) -> None:
    outcome = simulate("--bug", bug, "--seeds", "0:60")
    assert outcome.returncode == 1, outcome.stdout + outcome.stderr


def test_there_are_at_least_eight_seeded_bugs() -> None:
    assert len(SEEDED_BUGS) >= 8
