"""Record kernels: the loops over single records, the only code here that CPython is too slow for.

Each `kernel_*.py` is plain Python with C types in its annotations (Cython's pure Python mode). Installed where a C
compiler is at hand they are extensions; elsewhere, or with `OTTLA_KERNELS=interpreted`, they run as they stand:
correct, only slow. `KERNELS_COMPILED` says which it is. Rules of a kernel:

- it takes buffers and arrays and gives plain ones back; it knows nothing of sockets, files or pyarrow;
- it proves that a position is inside before it reads there: bounds checks are off;
- C integers wrap and Python's do not, so no arithmetic may pass 64 bits in either form; tests run both on the same
  inputs;
- loops that touch no Python object run without the GIL, so that a thread of the broker may run them.
"""

from types import ModuleType

from ottla.records.kernels.loading import kernels_compiled, load_kernel

KERNELS_COMPILED: bool = kernels_compiled()


def __getattr__(name: str) -> ModuleType:
    """A kernel is loaded when somebody first imports it from here, in the form that is wanted."""
    if name.startswith("kernel_"):
        return load_kernel(name)
    raise AttributeError(name)


from ottla.records.kernels import kernel_encode, kernel_records, kernel_rows  # noqa: E402 (by way of __getattr__)

encode_headers = kernel_encode.encode_headers
encode_records = kernel_encode.encode_records
count_headers = kernel_records.count_headers
index_headers = kernel_records.index_headers
index_records = kernel_records.index_records
validate_records = kernel_records.validate_records
make_rows = kernel_rows.make_rows

__all__ = [
    "KERNELS_COMPILED",
    "count_headers",
    "encode_headers",
    "encode_records",
    "index_headers",
    "index_records",
    "make_rows",
    "validate_records",
]
