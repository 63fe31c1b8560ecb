"""Compaction: of all records with the same key the last one stays. Offsets stay as they are, and leave gaps.

Two sides. The broker decides and swaps; a child process (`python -m ottla.storage.cleaner`) reads and writes, since a
loop over records in a thread of the broker would take the event loop's time.

    planning         which log, and how far: the dirtiest, below its high watermark, closed segments only
    process          the child: started with the first job, one job at a time, ends with the broker
    swapping         cleaned files take the place of the segments they replace, crash-safe at every step
    log_cleaner      the three in turn; how far each log is cleaned (`cleaner-offset-checkpoint`)
    settings         the configuration keys
    cleaner_metrics  what the cleaner tells of itself
    job              a job and its result, a line of JSON each
    cleaning         one job: the map of the dirty part, then everything below its end copied
    offset_map       the last offset of each key, bounded
    batch_filter     what is left of one batch
    cleaned_segment  a segment's files with the suffix `.cleaned`

What a crash leaves is put right by `ottla.storage.segment_swap_recovery` before the log is loaded.
"""
