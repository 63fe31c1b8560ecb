"""Step 6 of the path: the log of a partition on disk, in Kafka's own layout.

partition_log       one partition: append, read, truncate, roll; on it log_reading, timestamp_lookup, follower_batches,
                    aborted_transactions
batch_validation    what a produced batch must be to get in
segment             a log file with its offset_index, time_index and txn_index; roll_rule says when it is full
snapshot_files      the producers on disk; producer_replay tells them the batches since
leader_epochs       where each leader epoch begins
producer_state      what each producer last wrote: duplicates, gaps, open transactions
checkpoints         offsets of all partitions of a log directory
loading, recovery   a partition's directory at start; segment_scan reads what may be torn
log_dir             one log directory: lock, identity, checkpoints; clean_shutdown, clean_stop
flushing            group commit and the recovery point; retention, deletion: what goes, and when
cleaner/            compaction, by a child process
log_manager         all partitions of all log directories: load, create, delete, retain, flush, stop; upkeep ticks
inventory           what a log directory holds, for `ottla log adopt`
"""
