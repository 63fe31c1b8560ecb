from ottla.records.batch import Buffer
from ottla.records.kernels.spans import Spans

def encode_headers(headers: list[tuple[bytes, bytes | None]]) -> bytes: ...
def encode_records(
    keys: list[bytes | None] | None,
    values: list[bytes | None],
    timestamps: list[int] | None,
    base_timestamp: int,
    headers: list[bytes | None] | None,
    offset_deltas: list[int] | None,
) -> bytearray: ...
def encode_spans(
    keys: Buffer,
    values: Buffer,
    headers: Buffer,
    spans: Spans | memoryview,
    base_offset: int,
    base_timestamp: int,
    is_sequential: bool,
) -> bytearray: ...
