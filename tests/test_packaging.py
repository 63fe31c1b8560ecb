"""What pip gets: the source distribution, and the wheels built from it with and without a C compiler."""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.peers import ROOT

SOURCES = ("src", "docs", "tests", "pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md")
BUILT = shutil.ignore_patterns("*.so", "*.c", "__pycache__", "*.egg-info")
ROOT_FILES = {
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "MANIFEST.in",
    "PKG-INFO",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
}


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the build needs."""
    folder = tmp_path_factory.mktemp("backend")
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    run([sys.executable, "-m", "pip", "install", "-q", "--target", str(folder), *requires], folder)
    return folder


@pytest.fixture(scope="module")
def sdist(backend: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tarfile.TarFile]:
    copy = tmp_path_factory.mktemp("copy")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=BUILT)
        else:
            shutil.copy(ROOT / name, copy / name)
    with tarfile.open(build("sdist", copy, backend)) as archive:
        yield archive


def build(kind: str, source: Path, backend: Path, **environment: str) -> Path:
    out = source / "dist"
    program = f"import setuptools.build_meta as backend; backend.build_{kind}({str(out)!r})"
    run([sys.executable, "-c", program], source, PYTHONPATH=str(backend), **environment)
    (built,) = out.iterdir()
    return built


def run(command: list[str], directory: Path, **environment: str) -> None:
    given = os.environ | environment
    done = subprocess.run(command, cwd=directory, env=given, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def wheel(sdist: tarfile.TarFile, directory: Path, backend: Path, **environment: str) -> Path:
    run(["tar", "xzf", str(sdist.name)], directory)
    return build("wheel", next(directory.iterdir()), backend, **environment)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_sdist_holds_packages_and_documents_and_nothing_else(sdist: tarfile.TarFile) -> None:
    files = {name.partition("/")[2] for name in sdist.getnames()}
    top = {name.partition("/")[0] for name in files if name}
    assert top == ROOT_FILES | {"src", "docs"}
    assert {"src/ottla/py.typed", "src/ottla/records/kernels/kernel_rows.pyi", "docs/load.md"} <= files
    assert not [name for name in files if name.endswith((".so", ".c", ".pyc"))]


@pytest.mark.long
@pytest.mark.timeout(600)
def test_wheel_with_kernels_is_of_this_python_and_machine(
    sdist: tarfile.TarFile, backend: Path, tmp_path: Path
) -> None:
    built = wheel(sdist, tmp_path, backend)
    names = zipfile.ZipFile(built).namelist()
    assert f"-cp{sys.version_info[0]}{sys.version_info[1]}-" in built.name
    assert len([name for name in names if name.endswith(".so")]) == len(kernels(names))
    assert metadata(built)["Author"]


@pytest.mark.long
@pytest.mark.timeout(600)
def test_wheel_without_a_compiler_has_a_tag_that_pip_prefers_less(
    sdist: tarfile.TarFile, backend: Path, tmp_path: Path
) -> None:
    built = wheel(sdist, tmp_path, backend, CC=shutil.which("false") or "false")
    names = zipfile.ZipFile(built).namelist()
    assert built.name.endswith("-py3-none-any.whl")
    assert kernels(names)
    assert not [name for name in names if name.endswith(".so")]


def kernels(names: list[str]) -> list[str]:
    return [name for name in names if name.startswith("ottla/records/kernels/kernel_") and name.endswith(".py")]


def metadata(built: Path) -> dict[str, str]:
    archive = zipfile.ZipFile(built)
    (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    lines = archive.read(name).decode().partition("\n\n")[0].splitlines()
    return dict(line.split(": ", 1) for line in lines if ": " in line)
