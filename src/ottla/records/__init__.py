"""The record batch: the unit that producers make, the log stores and consumers open, unchanged on its way.

    attributes    the bits of a batch: compression codec, timestamp type, transactional, control
    checksum      CRC-32C
    batch         the 61-byte header of format v2: decode, check, stamp in place
    record        records in and out of one batch, as Python objects (clients, coordinators, tools)
    control       transaction markers
    compression   the four codecs, decompression bounded
    scan          recovery: which batches of a log file can be trusted
    columns       many records as columns in Arrow's layout, and back
    partitioning  which partition a key belongs to
    legacy        formats v0 and v1: read, up-convert for storing, down-convert for old clients
    kernels       the loops over single records, compiled where a C compiler was at hand

Everything here is pure: bytes in, bytes or values out, no I/O, no clock. What came from outside is refused with a
value, or with CorruptMessageError (the bytes are damaged: framing, checksum) or InvalidRecordError (the bytes are
whole and say something that cannot be), never with another exception.
"""
