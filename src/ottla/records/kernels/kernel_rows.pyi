from typing import Any, TypeVar

from ottla.records.batch import Buffer
from ottla.records.kernels.spans import Spans

Row = TypeVar("Row", bound=tuple[Any, ...])

def make_rows(
    buffer: Buffer,
    spans: Spans,
    header_spans: Spans,
    offset_min: int,
    prefix: tuple[Any, ...],
    row_class: type[Row],
) -> list[Row]: ...
