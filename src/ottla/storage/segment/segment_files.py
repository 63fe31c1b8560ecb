"""The names of a segment's files: Kafka's own, so that its tools and its brokers read our directories.

    00000000000000170210.log         record batches, the truth
    00000000000000170210.index       offset to position      rebuilt from the log when it is missing or wrong
    00000000000000170210.timeindex   timestamp to offset     likewise
    00000000000000170210.txnindex    aborted transactions    likewise; only there once something was aborted
    00000000000000170210.snapshot    producers, as they stood before the first record of the segment

The number is the segment's base offset: no record in it has a lower one. A suffix after the name says that a file is on
its way out (`.deleted`), being written by the cleaner (`.cleaned`) or written and about to replace others (`.swap`).
"""

import os
import re

LOG_SUFFIX = ".log"
OFFSET_INDEX_SUFFIX = ".index"
TIME_INDEX_SUFFIX = ".timeindex"
TXN_INDEX_SUFFIX = ".txnindex"
SNAPSHOT_SUFFIX = ".snapshot"

DELETED_SUFFIX = ".deleted"
CLEANED_SUFFIX = ".cleaned"
SWAP_SUFFIX = ".swap"

SEGMENT_SUFFIXES = (LOG_SUFFIX, OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)
INDEX_SUFFIXES = (OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)

# A segment holds offsets up to 2^31 - 1 above its base offset, and all of them are 64 bits wide.
BASE_OFFSET_MAX = 2**63 - 2**31

_NAME = re.compile(r"(\d{20})(\.[a-z]+)", re.ASCII)


def file_path(directory: str, base_offset: int, suffix: str) -> str:
    return os.path.join(directory, f"{base_offset:020d}{suffix}")


def parse_file_name(name: str) -> tuple[int, str] | None:
    """Base offset and suffix; None for other names, of two suffixes or of no possible offset too."""
    match = _NAME.fullmatch(name)
    if match is None or int(match[1]) > BASE_OFFSET_MAX:
        return None
    return int(match[1]), match[2]
