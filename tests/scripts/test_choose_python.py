"""Which Python the set-up takes, among some that are made up: each is a script that says how fast it is."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "choose_python.sh"


def choose(folder: Path, *pythons: str) -> str:
    """What is chosen when these commands are the `python3` of the folders on the PATH, in this order."""
    folders = []
    for number, command in enumerate(pythons):
        python = folder / str(number) / "python3"
        python.parent.mkdir()
        python.write_text(f"#!/bin/sh\n{command}\n")
        python.chmod(0o755)
        folders.append(str(python.parent))
    done = subprocess.run(
        ["/bin/bash", str(SCRIPT)], env={"PATH": ":".join(folders)}, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode == 0) == bool(done.stdout)
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("pythons", "chosen"),
    [
        (["echo 100 first"], "first"),
        (["echo 100 first", "echo 70 faster"], "faster"),
        (["echo 100 first", "echo 85 hardly-faster"], "first"),
        (["echo 100 first", "echo 200 slower", "echo 50 fastest"], "fastest"),
        (["exit 1", "echo 100 new-enough"], "new-enough"),
        (["exit 1"], ""),
        ([], ""),
    ],
)
def test_first_on_the_path_unless_another_is_clearly_faster(tmp_path: Path, pythons: list[str], chosen: str) -> None:
    assert choose(tmp_path, *pythons) == chosen


def test_a_real_one_is_measured() -> None:
    done = subprocess.run(["bash", str(SCRIPT)], capture_output=True, text=True, timeout=120)
    assert Path(done.stdout.strip()).is_file()
