"""What stands where a table is to be: a table of some format, or other people's files.

A directory holds one table. Of two in one, whoever globs the directory would count the rows of both, and what the one
removes as garbage may be data of the other. The same goes for a table inside another table's directory.

    _ottla/commits/            a Parquet table of `ottla load`
    _delta_log/                a Delta table
    metadata/*.metadata.json   an Iceberg table
    catalog.db                 a catalog of Iceberg tables, which lie in folders beside it
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from ottla.spark.loader.errors import TableLayoutError

PARQUET, DELTA, ICEBERG, CATALOG = "a Parquet table", "a Delta table", "an Iceberg table", "a catalog of Iceberg tables"
CATALOG_FILE = "catalog.db"


def check_place(path: Path, wanted: str) -> None:
    """TableLayoutError where a table of another kind stands at the path, or one of any kind around it."""
    if path.exists() and not path.is_dir():
        raise TableLayoutError(f"{path} is a file; a table is a directory")
    for found in _standing_at(path):
        if found != wanted:
            raise TableLayoutError(f"{path} holds {found}: {_ONE_TABLE}, so give another one for {wanted}")
    for parent in path.parents:
        for found in _standing_at(parent):
            if found != CATALOG:
                raise TableLayoutError(
                    f"{path} lies inside of {parent}, which holds {found}: {_ONE_TABLE}, so give one outside of it"
                )


def check_only_ours(path: Path, is_ours: Callable[[Path], bool]) -> None:
    """TableLayoutError where there is a file that no load left there."""
    for file in path.rglob("*") if path.is_dir() else ():
        if not file.is_dir() and not is_ours(file.relative_to(path)):
            raise TableLayoutError(f"{path} has files that `ottla load` did not write ({file.relative_to(path)})")


_ONE_TABLE = "a directory holds one table, else readers would take the files of both"


def _standing_at(path: Path) -> Iterator[str]:
    if (path / "_ottla" / "commits").is_dir():
        yield PARQUET
    if (path / "_delta_log").is_dir():
        yield DELTA
    if any((path / "metadata").glob("*.metadata.json")):
        yield ICEBERG
    if (path / CATALOG_FILE).exists():
        yield CATALOG
