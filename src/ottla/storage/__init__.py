"""Step 6 of the path: the log of a partition on disk, in Kafka's own layout.

partition_log       one partition: append, read, truncate, roll
leader_epochs       where each leader epoch begins
producer_state      what each producer last wrote: duplicates, gaps, open transactions
checkpoints         offsets of all partitions of a log directory
log_manager         all partitions of all log directories: load, create, delete, retain, flush, stop
"""
