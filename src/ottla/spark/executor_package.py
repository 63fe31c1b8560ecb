"""How this package reaches executors that do not have it: a zip of what tasks import, compiled kernels included.

Spark unpacks an archive (`spark.archives=ottla.zip#ottla_package`) into the working directory of every executor, on a
standalone cluster, YARN and Kubernetes alike; `spark.executorEnv.PYTHONPATH=ottla_package` puts it on the path of the
Python workers, which run in that directory. A zip on the path itself (`--py-files`) would not do: Python cannot load
compiled modules from inside one.

What is in it: ottla, pyspark_ottla, and the two packages that clients need, as they are installed here. What executors
must have: Python of the same minor version (Spark insists on that itself), pyspark and pyarrow. Compiled modules are of
this machine's kind; on another kind our kernels run interpreted, crc32c and cramjam have to be installed there.
"""

import importlib.util
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from ottla.errors import OperatorError

FOLDER = "ottla_package"
PACKAGES = ("ottla", "pyspark_ottla", "crc32c", "cramjam")
_LEFT_OUT = {".c", ".pyc", ".pyi"}


class PackageNotFoundError(OperatorError):
    """A package that should go to the executors is not installed here."""


def build_archive(path: Path, others: Iterable[str] = ()) -> Path:
    """Write the archive, with `others` besides what tasks need. It is whole as soon as it has its name."""
    files = [file for package in (*PACKAGES, *others) for file in _files_of(package)]
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".ottla-package-") as directory:
        temporary = Path(directory) / path.name
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for source, name in files:
                archive.write(source, name)
        temporary.replace(path)
    return path


def executor_settings(archive: Path | str) -> dict[str, str]:
    """What a Spark session has to be told, so that its executors use the archive."""
    return {"spark.archives": f"{archive}#{FOLDER}", "spark.executorEnv.PYTHONPATH": FOLDER}


def _files_of(package: str) -> Iterator[tuple[Path, str]]:
    """The files of a package, with their names below the archive's root."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise PackageNotFoundError(f"{package} is not installed here, so it cannot be sent to executors")
    if not spec.submodule_search_locations:
        assert spec.origin is not None
        yield Path(spec.origin), Path(spec.origin).name
        return
    for location in spec.submodule_search_locations:
        yield from _files_below(Path(location))
        # Shared libraries that a wheel brings along lie in a folder beside the package.
        yield from _files_below(Path(f"{location}.libs"))


def _files_below(root: Path) -> Iterator[tuple[Path, str]]:
    for file in sorted(root.rglob("*")):
        if file.is_file() and file.suffix not in _LEFT_OUT:
            yield file, str(file.relative_to(root.parent))
