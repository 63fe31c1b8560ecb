"""Compaction: of all records with the same key the last one stays. Offsets stay as they are, and leave gaps.

Two sides. The broker decides and swaps; a child process (`python -m ottla.storage.cleaner`) reads and writes, since a
loop over records in a thread of the broker would take the event loop's time.

    planning         which log is cleaned next, and how far
    process          the cleaning process as the broker sees it
    job              what the broker tells the cleaning process, and what it is told back
    swapping         cleaned files take the place of the segments that they replace
    log_cleaner      cleans the compacted logs of a broker, one at a time
    cleaning         one cleaning job, in the child
    offset_map       the last offset of every key in the dirty part of a log, in bounded memory
    batch_filter     what is left of one batch
    cleaned_segment  a segment being written by the cleaner
    cleaner_metrics  what the log cleaner tells of itself
    settings         the configuration keys of the log cleaner

What a crash leaves is put right by `ottla.storage.segment_swap_recovery` before the log is loaded.
"""
