"""Builds the record kernels: plain .py files compiled by Cython, in place beside their sources.

They are optional. Without a C compiler, or without Cython, the package installs all the same, says so, and runs the
same files interpreted: correct, only slow. A wheel that was built so holds nothing of this machine, and its tag says it
(`py3-none-any`): pip prefers one with kernels to it, wherever there is one.
"""

import os
import warnings
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

KERNELS = sorted(Path("src/ottla/records/kernels").glob("kernel_*.py"))
INTERPRETED = "the record kernels are not compiled and will run interpreted, which is slow"


def kernel_extension(path: Path) -> Extension:
    name = ".".join(path.relative_to("src").with_suffix("").parts)
    return Extension(name, [str(path)], extra_compile_args=["-O2", "-g0"])


def extensions() -> list[Extension]:
    try:
        from Cython.Build import cythonize
    except ImportError:
        warnings.warn(f"Cython is not installed: {INTERPRETED}", stacklevel=2)
        return []
    modules = list(
        cythonize(
            [kernel_extension(path) for path in KERNELS],
            build_dir="build/cython",
            compiler_directives={"language_level": 3},
        )
    )
    for module in modules:
        module.optional = True  # set here because cythonize makes new extensions and loses it
    return modules


class BuildKernels(build_ext):
    """`optional` turns a failed compilation into a message; this says at the end what it means."""

    def run(self) -> None:
        super().run()
        paths = self.kernel_paths()
        if missing := [path.name for path in paths if not path.exists()]:
            warnings.warn(f"{len(missing)} of {len(paths)} kernels failed to build: {INTERPRETED}", stacklevel=2)

    def kernel_paths(self) -> list[Path]:
        return [Path(self.get_ext_fullpath(extension.name)) for extension in self.extensions]


class TagByKernels(bdist_wheel):
    """The wheel is of this machine where a kernel was compiled, not where one was to be."""

    def run(self) -> None:
        self.run_command("build")
        if not any(path.exists() for path in self.get_finalized_command("build_ext").kernel_paths()):
            self.distribution.ext_modules = None
            self.root_is_pure = True
        super().run()


options: dict[str, Any] = {"build_ext": {"parallel": os.cpu_count()}}
commands = {"build_ext": BuildKernels, "bdist_wheel": TagByKernels}
setup(ext_modules=extensions(), cmdclass=commands, options=options)
