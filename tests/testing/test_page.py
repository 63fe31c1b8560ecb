"""docs/testing.md, run: its programs as they stand there, its tests by pytest in a directory of their own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "testing.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
PROGRAMS = [example for example in EXAMPLES if "def test_" not in example and "fixture" not in example]


def run(*arguments: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_program_of_the_page_runs(program: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(program)
    run("-W", "error", "program.py", cwd=tmp_path)


def test_tests_of_the_page_pass_with_the_plugin_alone(tmp_path: Path) -> None:
    (example,) = [example for example in EXAMPLES if "def test_" in example]
    (configured,) = [example for example in EXAMPLES if "fixture" in example]
    (tmp_path / "test_example.py").write_text(
        example
        + "\ndef test_properties_are_taken(ottla_broker):\n"
        + '    ottla_broker.create_topic("many", partitions=-1)\n'
        + "    with ottla.Admin(ottla_broker.bootstrap_servers) as admin:\n"
        + '        assert len(admin.describe_topics(["many"])["many"].partitions) == 4\n'
    )
    (tmp_path / "conftest.py").write_text(configured)
    assert "2 passed" in run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_example.py", cwd=tmp_path)


def test_plugin_imports_nothing_of_ottla_before_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "test_nothing.py").write_text(
        "import sys\ndef test_nothing():\n    assert not any(name.startswith('ottla.broker') for name in sys.modules)\n"
    )
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_nothing.py", cwd=tmp_path)
