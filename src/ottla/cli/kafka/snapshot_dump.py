"""A producer snapshot as `kafka-dump-log` prints it: a line for every producer."""

from ottla.errors.tree import OperatorError
from ottla.storage.producers.producer_snapshot import decode_snapshot


def dump_snapshot(path: str) -> None:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise OperatorError(f"cannot read {path}: {error.strerror}") from error
    for producer_id, entry in decode_snapshot(data):
        first = entry.current_txn_first_offset
        line = (
            f"producerId: {producer_id} producerEpoch: {entry.epoch} coordinatorEpoch: {entry.coordinator_epoch} "
            f"currentTxnFirstOffset: {'OptionalLong.empty' if first < 0 else f'OptionalLong[{first}]'} "
            f"lastTimestamp: {entry.last_timestamp} "
        )
        if entry.last_offset >= 0:
            line += (
                f"firstSequence: {entry.last_sequence - entry.offset_delta} lastSequence: {entry.last_sequence} "
                f"lastOffset: {entry.last_offset} offsetDelta: {entry.offset_delta} timestamp: {entry.last_timestamp}"
            )
        print(line)
