"""Loads a kernel in the form that is wanted: compiled where there is an extension, else (or on demand) interpreted.

Both forms are the same file: kernel_x.py is what Cython compiled to kernel_x.*.so. The extension is taken where it
is there and not older than its source (a working copy that was not built again); `OTTLA_KERNELS=interpreted` in the
environment takes the source. `load_interpreted` gives the source form under a name of its own, so that a test can have
both at once.
"""

import importlib
import importlib.util
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES, SourceFileLoader
from types import ModuleType

PACKAGE = "ottla.records.kernels"
ENVIRONMENT_VARIABLE = "OTTLA_KERNELS"
CLOCK_SLACK_SECONDS = 2.0
# pip keeps what it built without a compiler, and may prefer it to building: it is told not to.
COMPILE_ADVICE = (
    "install a C compiler and Python's headers (Debian: gcc python3-dev), then run "
    "`pip install --force-reinstall --no-deps --no-cache-dir --no-binary ottla ottla` (in a working copy `make setup`)"
)

_FOLDER = os.path.dirname(__file__)  # not pathlib, whose import alone takes 3 ms of every start


def load_kernel(name: str) -> ModuleType:
    qualified = f"{PACKAGE}.{name}"
    if wants_interpreted() or not _has_extension(name):
        return sys.modules.get(qualified) or load_interpreted(name, qualified)
    return importlib.import_module(qualified)


def wants_interpreted() -> bool:
    return os.environ.get(ENVIRONMENT_VARIABLE) == "interpreted"


def load_interpreted(name: str, module_name: str) -> ModuleType:
    loader = SourceFileLoader(module_name, _path(f"{name}.py"))
    specification = importlib.util.spec_from_loader(module_name, loader)
    assert specification is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[module_name] = module
    loader.exec_module(module)
    return module


def kernel_names() -> list[str]:
    return sorted(file[:-3] for file in os.listdir(_FOLDER) if file.startswith("kernel_") and file.endswith(".py"))


def kernels_compiled() -> bool:
    """Whether every kernel has an extension for this Python, and it is wanted."""
    return not wants_interpreted() and all(map(_has_extension, kernel_names()))


def _has_extension(name: str) -> bool:
    source = _modified(f"{name}.py")
    return any(_modified(name + suffix) > source - CLOCK_SLACK_SECONDS for suffix in EXTENSION_SUFFIXES)


def _path(file: str) -> str:
    return os.path.join(_FOLDER, file)


def _modified(file: str) -> float:
    """When it was last written; before everything if it is not there."""
    try:
        return os.stat(_path(file)).st_mtime
    except FileNotFoundError:
        return float("-inf")
