"""Record kernels: the loops over single records, the only code here that CPython is too slow for.

    kernel_records    walks the records of one batch (format v2) and says where everything lies
    kernel_encode     writes the records section of a batch
    kernel_gather     the records of an open batch, added one at a time
    kernel_rows       Python objects for records
    kernel_columns    columns of records in Arrow's layout, from spans and back to them
    kernel_legacy     message sets of formats v0 and v1
    kernel_scan       walks the batches of a log file and checks their checksums
    kernel_murmur2    the hash of Java's default partitioner
    spans             where the parts of each record lie: rows of int64
    validation_codes  what can be wrong with a batch: numbers and sentences
    crc_tables        the tables of a CRC of 32 bits
    loading           takes a kernel compiled or interpreted
    cython_shim       what a kernel needs of Cython when it runs interpreted

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
