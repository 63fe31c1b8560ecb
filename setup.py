"""Builds the record kernels: plain .py files compiled by Cython, optional (without a compiler they run interpreted)."""

from pathlib import Path

from setuptools import Extension, setup

KERNELS = sorted(Path("src/ottla/records/kernels").glob("kernel_*.py"))


def extensions() -> list[Extension]:
    if not KERNELS:
        return []
    from Cython.Build import cythonize

    modules = [
        Extension(
            ".".join(path.relative_to("src").with_suffix("").parts),
            [str(path)],
            optional=True,
            extra_compile_args=["-O3"],
        )
        for path in KERNELS
    ]
    return list(cythonize(modules, build_dir="build/cython", compiler_directives={"language_level": 3}))


setup(ext_modules=extensions())
