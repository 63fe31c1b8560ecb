"""A follower does not keep producer states: after a failover a repeated batch is appended again."""

from ottla.storage.log import partition_log


def apply() -> None:
    append_run = partition_log.PartitionLog._append_run
    note_batch = partition_log.note_batch

    def without_producers(self, records, run, now_ms):  # type: ignore[no-untyped-def]
        partition_log.note_batch = lambda *_: None
        try:
            append_run(self, records, run, now_ms)
        finally:
            partition_log.note_batch = note_batch

    partition_log.PartitionLog._append_run = without_producers  # type: ignore[method-assign]
