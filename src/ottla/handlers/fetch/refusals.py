"""What a client may not have, though it is there: by its version, the topic's codec and the format of its records.

Before Fetch 10 Kafka goes by the topic: one whose `compression.type` is zstd is refused as a whole, and of any other
the batches leave as they are. Before Fetch 4 records must be converted, which a topic may forbid.
"""

from ottla.errors import ErrorCode
from ottla.replication.fetch_reader import FetchEntry, Reads

FIRST_UNREFUSED_VERSION = 10
"""From here on zstd batches may be returned, and nothing is refused for what it is."""
MAGIC_2_VERSION = 4
MAGIC_1_VERSION = 2


def refuse(version: int, reads: Reads) -> None:
    """Put errors in the place of the records that a client of this version may not have."""
    for entry, read in reads:
        refusal = refusal_of(version, entry)
        if refusal is not None and not read.error_code:
            read.refuse(refusal)


def refusal_of(version: int, entry: FetchEntry) -> ErrorCode | None:
    """The error in the place of an entry's records, for a client of this version."""
    if version >= FIRST_UNREFUSED_VERSION or entry.partition is None:
        return None
    config = entry.partition.log.config
    if config.compression_type == "zstd":
        return ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    if version < MAGIC_2_VERSION and not config.message_downconversion_enable:
        return ErrorCode.UNSUPPORTED_VERSION
    return None
