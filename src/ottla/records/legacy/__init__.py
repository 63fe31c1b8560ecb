"""Formats v0 and v1 (magic 0 and 1): message sets, as clients before 0.11 send and read them and old logs hold them.

    message        reads a message set, wrappers decompressed, into runs of spans
    lz4_header     the header checksum that v0 got wrong
    up_convert     a message set to batches of format v2, for storing
    down_convert   what a log holds to a message set, for Fetch 0 to 3

The layout is in `kernels.kernel_legacy`. Nothing is stored in these formats any more.
"""

from ottla.records.legacy.down_convert import DownConverted, down_convert, down_convert_counted
from ottla.records.legacy.message import (
    MessageRun,
    decode_messages,
    has_wrapper,
    is_legacy,
    messages_end,
    read_messages,
)
from ottla.records.legacy.up_convert import up_convert

__all__ = [
    "DownConverted",
    "MessageRun",
    "decode_messages",
    "down_convert",
    "down_convert_counted",
    "has_wrapper",
    "is_legacy",
    "messages_end",
    "read_messages",
    "up_convert",
]
