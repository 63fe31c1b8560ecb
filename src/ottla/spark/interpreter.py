"""The Python that Spark starts to plan and to run tasks.

Spark's JVM takes PYSPARK_DRIVER_PYTHON, PYSPARK_PYTHON or else `python3` of the PATH, whichever Python the job itself
runs in. With `venv/bin/python job.py` and a venv that is not activated that is another Python, which has no Ottla:
Spark says DATA_SOURCE_NOT_FOUND. The JVM reads its environment once, so this is settled before the first session.

Only where `python3` is another Python is anything set, because then the format could not have been found: executors of
a cluster, which may have their Python elsewhere, go on with what they have.
"""

import os
import shutil
import sys
import warnings
from collections.abc import MutableMapping
from pathlib import Path

_VARIABLE = "PYSPARK_PYTHON"
# Set by spark-submit, whose JVM runs before this Python does.
_JVM_RUNS = "PYSPARK_GATEWAY_PORT"


def use_this_python(environment: MutableMapping[str, str] | None = None) -> None:
    """Let Spark start the Python that runs this, unless it is told or would do so anyway."""
    environment = os.environ if environment is None else environment
    if _VARIABLE in environment or _JVM_RUNS in environment or _is_python3_of(environment.get("PATH")):
        return
    if _has_session():
        warnings.warn(
            "`import pyspark_ottla` comes after the first Spark session, which has begun with another Python "
            f"({shutil.which('python3', path=environment.get('PATH'))}): import it before",
            RuntimeWarning,
            stacklevel=3,
        )
        return
    environment[_VARIABLE] = sys.executable


def _is_python3_of(path: str | None) -> bool:
    """The same folder says the same environment; what the file points to would be the same for two of them."""
    found = shutil.which("python3", path=path)
    return found is not None and Path(found).parent.resolve() == Path(sys.executable).parent.resolve()


def _has_session() -> bool:
    pyspark = sys.modules.get("pyspark")
    return pyspark is not None and pyspark.SparkContext._active_spark_context is not None
