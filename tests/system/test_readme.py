"""The 60 seconds of the README, as they are written."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

import ottla as clients
from support.broker import BrokerProcess, ottla_broker
from support.peers import ROOT, require_command

README = (ROOT / "README.md").read_text(encoding="utf-8")
MINUTE, TOOLS = README[README.index("## 60 seconds") : README.index("## From the stream")].split("Kafka's own tools")


@pytest.fixture(scope="module")
def ottla(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    with ottla_broker(tmp_path_factory.mktemp("ottla")) as broker:
        yield broker


def test_kcat_lines_print_what_the_readme_shows(ottla: BrokerProcess) -> None:
    require_command("kcat")
    shown = [line[4:] for line in MINUTE.splitlines() if line.startswith("    ")]
    commands = [line[2:].replace("localhost:9092", ottla.address) for line in shown if line.startswith("$ ")]
    printed = [line for line in shown if not line.startswith("$ ")]
    run = subprocess.run(["bash", "-ec", "\n".join(commands)], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout.splitlines() == printed == ["1", "2", "3"]


def test_python_lines_print_the_record_that_was_sent(ottla: BrokerProcess) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", MINUTE, re.DOTALL)
    program = program.replace("localhost:9092", ottla.address)
    for _ in range(2):  # the second run finds a group whose first member has left
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
        assert run.stdout == 'b\'{"page": "/"}\'\n'


@pytest.mark.parametrize("line", [line[6:] for line in TOOLS.splitlines() if line.startswith("    $ ")])
def test_lines_for_the_tools_run_as_they_are_written_and_again(ottla: BrokerProcess, line: str) -> None:
    with clients.Producer(ottla.address) as producer:
        producer.send("clicks", b"v", b"k").result(30)
    command = line.replace(".venv/bin/ottla", f"{sys.executable} -m ottla").replace("localhost:9092", ottla.address)
    environment = os.environ | {"OTTLA_BOOTSTRAP_SERVER": ottla.address, "OTTLA_CONFIG": os.devnull}
    for _ in range(2):
        run = subprocess.run(["bash", "-ec", command], env=environment, capture_output=True, timeout=60, check=True)
        assert b"clicks" in run.stdout or b"k: v" in run.stdout
