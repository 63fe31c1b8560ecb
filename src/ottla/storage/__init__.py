"""Step 6 of the path: the logs of partitions on disk, in Kafka's own layout.

segment                 one segment: a log file and its indexes
log                     the log of one partition
producers               what is remembered of a partition's producers
log_dir                 one log directory
cleaner                 compaction, by a child process
log_manager             all partitions of all log directories: open, load, tick, close, and the three parts below
log_registry            which logs there are: create, find, configure, delete
log_creation            the log of a new partition, or of a loaded one
log_durability          flush, truncate, checkpoint
log_maintenance         what falls due once a second: retention, producer expiry, timed flushes, checkpoints
log_settings            the configuration keys
log_shutdown            a clean stop of all logs of a directory
background              the thread of a log directory
flushing                group commit and the recovery point
deletion                files that are renamed now and removed later
segment_swap_recovery   changes of names that a crash interrupted
"""
