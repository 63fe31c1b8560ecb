from pathlib import Path

import pytest

from ottla.disk.directory import LogDirectory
from support.disks import FaultyDisk


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


@pytest.fixture
def directory(tmp_path: Path, disk: FaultyDisk) -> LogDirectory:
    return LogDirectory(str(tmp_path), disk)
