"""`make demo`, with fewer events: what it prints is what was sent."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.peers import ROOT, require_command


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_demo_counts_every_event_but_those_that_came_too_late(tmp_path: Path) -> None:
    require_command("java")
    command = [sys.executable, "-m", "demo", "--events", "6000", "--directory", str(tmp_path / "demo")]

    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=500, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    sent, counted, late = numbers(r"([\d,]+) events sent, ([\d,]+) counted, ([\d,]+) came after", done.stdout)
    assert sent == 6000
    assert counted + late == sent
    assert late < 0.02 * sent
    assert numbers(r"topic page-counts: ([\d,]+) views; Delta table: ([\d,]+)", done.stdout) == [counted, counted]
    assert numbers(r"Parquet: ([\d,]+) raw events, with the one that", done.stdout) == [sent + 1]
    assert numbers(r"([\d,]+) sessions:", done.stdout)[0] > 0
    assert ElementTree.parse(tmp_path / "demo" / "views.svg").getroot().tag.endswith("svg")


def numbers(pattern: str, text: str) -> list[int]:
    found = re.search(pattern, text)
    assert found is not None, text
    return [int(group.replace(",", "")) for group in found.groups()]
