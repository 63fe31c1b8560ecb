"""Loads a kernel in the form that is wanted: compiled where there is an extension, else (or on demand) interpreted.

Both forms are the same file: `kernel_x.py` is what Cython compiled to `kernel_x.*.so`. Python's own finder prefers
the extension; `OTTLA_KERNELS=interpreted` in the environment takes the source. `load_interpreted` gives the source
form under a name of its own, so that a test can have both at once.
"""

import importlib
import importlib.util
import os
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

PACKAGE = "ottla.records.kernels"
ENVIRONMENT_VARIABLE = "OTTLA_KERNELS"


def load_kernel(name: str) -> ModuleType:
    qualified = f"{PACKAGE}.{name}"
    if os.environ.get(ENVIRONMENT_VARIABLE) == "interpreted":
        return sys.modules.get(qualified) or load_interpreted(name, qualified)
    return importlib.import_module(qualified)


def load_interpreted(name: str, module_name: str) -> ModuleType:
    loader = SourceFileLoader(module_name, str(Path(__file__).with_name(f"{name}.py")))
    specification = importlib.util.spec_from_loader(module_name, loader)
    assert specification is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[module_name] = module
    loader.exec_module(module)
    return module


def is_compiled(module: ModuleType) -> bool:
    return not str(module.__file__).endswith(".py")
