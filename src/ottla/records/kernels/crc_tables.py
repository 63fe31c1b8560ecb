"""Tables for a reflected CRC of 32 bits, eight bytes at a step: 8 x 256 entries, made when first asked for."""

from array import array
from functools import cache

from ottla.records.kernels.spans import IntArray

CASTAGNOLI = 0x82F63B78  # CRC-32C: batches of format v2
IEEE = 0xEDB88320  # CRC-32: messages of format v0 and v1


@cache
def crc_table(polynomial: int) -> IntArray:
    """Entry 256 * n + b: what byte b does to the CRC when n bytes of zeros follow it."""
    table = array("I", [_shifted(byte, polynomial) for byte in range(256)])
    for index in range(256, 2048):
        before = table[index - 256]
        table.append(table[before & 0xFF] ^ (before >> 8))
    return table


def _shifted(crc: int, polynomial: int) -> int:
    for _ in range(8):
        crc = (crc >> 1) ^ polynomial if crc & 1 else crc >> 1
    return crc
