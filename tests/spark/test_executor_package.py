"""The archive for executors: unpacked, it is all that a task imports of ours, kernels compiled or not."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from ottla.cli.commands.spark import spark as spark_command
from ottla.records.kernels import KERNELS_COMPILED
from ottla.spark.executor_package import FOLDER, PackageNotFoundError, build_archive, executor_settings

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import ottla, ottla.spark.options
from ottla.clients.producer.producer import Producer
from ottla.records.compression import compress
from ottla.records.kernels import KERNELS_COMPILED
assert ottla.__file__.startswith(sys.argv[1]), ottla.__file__
print(KERNELS_COMPILED)
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_archive(tmp_path_factory.mktemp("archive") / "ottla.zip")


def unpacked(archive: Path, directory: Path) -> Path:
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(directory)
    return directory


def kernels_are_compiled(directory: Path) -> bool:
    """In an interpreter that has the standard library and this directory, and nothing else."""
    command = [sys.executable, "-I", "-S", "-c", PROGRAM, str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip() == "True"


def test_the_archive_alone_is_enough_for_a_producer(archive: Path, tmp_path: Path) -> None:
    assert kernels_are_compiled(unpacked(archive, tmp_path)) == KERNELS_COMPILED


def test_without_compiled_kernels_it_still_works(archive: Path, tmp_path: Path) -> None:
    for compiled in (unpacked(archive, tmp_path) / "ottla").rglob("*.so"):
        compiled.unlink()

    assert not kernels_are_compiled(tmp_path)


def test_spark_finds_the_format_in_it_and_no_needless_files(archive: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()

    assert "pyspark_ottla/__init__.py" in names
    assert not [name for name in names if name.endswith((".c", ".pyc", ".pyi"))]


def test_the_command_prints_what_spark_has_to_be_told(tmp_path: Path) -> None:
    path = tmp_path / "sent.zip"

    done = CliRunner().invoke(spark_command, ["package", str(path)], catch_exceptions=False)

    assert done.stdout.splitlines() == [
        f"--conf spark.archives={path}#{FOLDER}",
        f"--conf spark.executorEnv.PYTHONPATH={FOLDER}",
    ]
    assert executor_settings(path)["spark.archives"] == f"{path}#{FOLDER}"


def test_a_package_that_is_not_here_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(PackageNotFoundError, match="no_such_package is not installed here"):
        build_archive(tmp_path / "ottla.zip", ["no_such_package"])
    assert not list(tmp_path.iterdir())
