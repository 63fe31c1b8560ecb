"""Step 6 of the path: the log of a partition on disk, in Kafka's own layout.

partition_log       one partition: append, read, truncate, roll; on it log_reading, timestamp_lookup, follower_batches
batch_validation    what a produced batch must be to get in
segment             a log file with its offset_index, time_index and txn_index; roll_rule says when it is full
snapshot_files      the producers on disk; producer_replay tells them the batches since
leader_epochs       where each leader epoch begins
producer_state      what each producer last wrote: duplicates, gaps, open transactions
checkpoints         offsets of all partitions of a log directory
log_manager         all partitions of all log directories: load, create, delete, retain, flush, stop
"""
