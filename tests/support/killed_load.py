"""Loads that are killed with -9, again and again, until one ends by itself.

    python -m support.killed_load BOOTSTRAP TOPIC FORMAT DIRECTORY MODE      one load, tasks in worker processes

The driver is a process of its own. Its tasks run in processes that it forks, as Spark's workers do, and what one that
dies had to do is begun again (up to four times): so a kill can hit the driver or a worker. With Spark itself:
`spark_command`.
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

TRIES = 4


class ProcessScheduler:
    """Tasks in two worker processes; when one is killed, all that were not done are begun again."""

    def cores(self) -> int:
        return 2

    def run(self, function: Callable[[Any], Any], tasks: Sequence[Any], on_rows: Callable[[int], None]) -> list[Any]:
        done: dict[int, Any] = {}
        for _ in range(TRIES):
            with ProcessPoolExecutor(2) as pool, contextlib.suppress(BrokenProcessPool):
                futures = {
                    number: pool.submit(function, task) for number, task in enumerate(tasks) if number not in done
                }
                for number, future in futures.items():
                    done[number] = future.result()
            if len(done) == len(tasks):
                return [done[number] for number in range(len(tasks))]
        raise RuntimeError("workers died too often")


def main(bootstrap: str, topic: str, kind: str, directory: str, mode: str) -> None:
    from ottla.spark.loader.load import Loader
    from ottla.spark.loader.settings import LoadSettings, TableLayout
    from support.load_tables import open_target

    layout = TableLayout(mode=mode, buckets=4 if mode == "upsert" else 0)
    settings = LoadSettings(
        topics=(topic,), client={"bootstrap.servers": bootstrap}, layout=layout, records_max=500, file_bytes=20_000
    )
    Loader(settings, open_target(kind, Path(directory), layout), ProcessScheduler()).load()


def process_command(bootstrap: str, topic: str, kind: str, directory: Path, mode: str) -> list[str]:
    return [sys.executable, "-m", "support.killed_load", bootstrap, topic, kind, str(directory), mode]


def spark_command(bootstrap: str, topic: str, kind: str, directory: Path, mode: str) -> list[str]:
    from support.load_tables import target_name

    return [
        sys.executable, "-m", "ottla", "load", topic, "--to", target_name(kind, directory), "-b", bootstrap,
        "--mode", mode, "--max-records", "500", "--file-size", "0.02", "--master", "local[2]",
    ]  # fmt: skip


def load_under_kills(command: list[str], kills: int, delay_max: float, seed: int) -> int:
    """Kills the driver, or one of the processes below it, at random moments; then lets one load end. How many hit."""
    randomness = random.Random(seed)
    hit = 0
    for _ in range(kills):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_environment(),
                                   start_new_session=True)  # fmt: skip
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(randomness.uniform(0.2, delay_max))
        hit += _kill(process, worker_only=randomness.random() < 0.4)
    ended = subprocess.run(command, capture_output=True, text=True, env=_environment(), timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    return hit


def _kill(process: "subprocess.Popen[bytes]", worker_only: bool) -> bool:
    if process.poll() is not None:
        return False
    workers = _descendants(process.pid)
    if worker_only and workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(workers[-1], signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pid in workers:  # Spark's workers have a group of their own
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return True


def _descendants(pid: int) -> list[int]:
    found: list[int] = []
    for entry in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, entry.read_text().split()):
                found += [child, *_descendants(child)]
    return found


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1]), "OTTLA_CONFIG": os.devnull}


if __name__ == "__main__":
    main(*sys.argv[1:])
