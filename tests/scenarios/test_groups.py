"""Scenarios of consumer groups; the language is in `support.group_scenarios`."""

from pathlib import Path

import pytest

from support.coroutines import on_event_loop
from support.group_scenarios import GroupScenario
from support.scenario_files import play

SCENARIOS = sorted((Path(__file__).parent / "groups").glob("*.txt"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
@on_event_loop
async def test_groups_behave_as_the_scenario_says(path, request):
    await play(path, GroupScenario().run, rewrite=request.config.getoption("--rewrite"))
