"""An earlier commit of Ottla as a broker beside the present one: what `--against REV` measures.

The commit is checked out under build/against/, with a `.venv` of its own in which its kernels are compiled. Both
brokers are driven by the present clients, in alternating rounds of the same run.
"""

import shutil
import subprocess
from pathlib import Path

from bench.brokers import Ottla
from bench.driver import ROOT
from bench.measures import Case, Metric, Must

CHECKOUTS = ROOT / "build" / "against"
# A change may cost this much before it counts as worse: rounds differ by more, their medians seldom do.
AT_LEAST = 0.97
AT_MOST = 1.03


def earlier(revision: str) -> type[Ottla]:
    """The broker of a commit, ready to be started."""
    commit = _git("rev-parse", "--short", f"{revision}^{{commit}}")
    folder = CHECKOUTS / commit
    if not (folder / ".venv" / "complete").exists():
        _check_out(commit, folder)
    return type("Earlier", (Ottla,), {"name": commit, "program": folder / ".venv" / "bin" / "ottla"})


def _check_out(commit: str, folder: Path) -> None:
    print(f"setting up {commit} in {folder.relative_to(ROOT)}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", commit], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
    subprocess.run(["scripts/setup_core.sh"], cwd=folder, check=True)
    (folder / ".venv" / "complete").touch()


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def without_regression(case: Case) -> Case:
    """The case with the only requirement that counts beside an earlier commit: nothing is worse."""
    return case._replace(metrics=tuple(metric._replace(must=_no_worse(metric)) for metric in case.metrics))


def _no_worse(metric: Metric) -> Must | None:
    """For what the broker is judged by, and for its CPU; not for the client's, and not for counts."""
    is_the_brokers = metric.must is not None or metric.label.startswith("broker CPU") or metric.label == "p50"
    if not is_the_brokers or not metric.unit:
        return None
    return Must(at_least=AT_LEAST) if metric.unit.endswith("/s") else Must(at_most=AT_MOST)
