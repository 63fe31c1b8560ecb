"""The scratch folders of loads in a Delta or Iceberg table: `_ottla/<load>`, gone when the load is over.

One that was killed leaves its folder behind. Nobody reads it, and when it is a week old no load can still be writing.
"""

import shutil
import time
from pathlib import Path

FOLDER = "_ottla"
AGE_SECONDS = 7 * 24 * 3600


def scratch_directory(root: Path, load_id: str) -> Path:
    return root / FOLDER / load_id


def remove_old(root: Path) -> int:
    """How many files."""
    removed = 0
    for folder in (root / FOLDER).iterdir() if (root / FOLDER).is_dir() else ():
        if is_old(folder):
            removed += sum(1 for _ in folder.rglob("*.parquet"))
            shutil.rmtree(folder, ignore_errors=True)
    return removed


def is_old(path: Path) -> bool:
    return time.time() - path.stat().st_mtime > AGE_SECONDS
