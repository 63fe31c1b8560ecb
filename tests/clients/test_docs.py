"""The examples of docs/clients.md run as they are written, one after the other."""

import re

import pytest

from support.eventually import eventually
from support.peers import ROOT

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def names() -> dict[str, object]:
    """What the blocks have defined so far."""
    return {}


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_example_runs(broker_address, admin, names, number):
    if number == 0:
        admin.delete_topics(["clicks"])
        eventually(lambda: "clicks" not in admin.list_topics())
    exec(compile(BLOCKS[number].replace("localhost:9092", broker_address), f"block {number}", "exec"), names)
