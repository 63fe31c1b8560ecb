"""CRC-32C, by the extension of the `crc32c` package: `crc32c(data, value=0)`.

The package reads its own version from the installed metadata when it is imported, which costs every start of a broker
some 25 ms. Its extension module needs nothing of that, so it is loaded by itself, under its own name; where it cannot
be found like this, the package is imported as usual.
"""

import importlib
import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType

_PACKAGE = "crc32c"
_EXTENSION = "crc32c._crc32c"


def load_extension() -> ModuleType:
    """The module that holds the function, from sys.modules where somebody has imported it before."""
    loaded = sys.modules.get(_EXTENSION)
    return loaded or _load_alone() or importlib.import_module(_PACKAGE)


def _load_alone() -> ModuleType | None:
    package = PathFinder.find_spec(_PACKAGE)
    if package is None:
        return None
    spec = PathFinder.find_spec(_EXTENSION, package.submodule_search_locations)
    if spec is None or spec.loader is None:
        return None
    module = module_from_spec(spec)
    sys.modules[_EXTENSION] = module
    spec.loader.exec_module(module)
    return module


crc32c: Callable[..., int] = load_extension().crc32c
