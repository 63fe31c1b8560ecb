from ottla.records.batch import Buffer
from ottla.records.kernels.spans import Spans

def validate_records(
    buffer: Buffer,
    position: int,
    end: int,
    records_count: int,
    base_timestamp: int,
    need_key: bool,
    timestamp_min: int,
    timestamp_max: int,
) -> tuple[int, int, int, int]: ...
def index_records(
    buffer: Buffer,
    position: int,
    end: int,
    records_count: int,
    base_offset: int,
    base_timestamp: int,
    is_append_time: bool,
    append_time: int,
    spans: Spans,
) -> int: ...
def count_headers(spans: Spans) -> int: ...
def index_headers(buffer: Buffer, spans: Spans, header_spans: Spans) -> None: ...
