"""The log of one partition.

partition_log          append, truncate, roll: the segments, epochs and producers of one partition
batch_validation       what a produced batch must be to get in
follower_batches       what a leader sent, checked before it is appended
log_results            what the log answers with: places, appends, reads, found timestamps
log_reading            a read of whole batches between two offsets
timestamp_lookup       the first record at or past a timestamp
aborted_transactions   which transactions a read_committed reader must leave out
leader_epochs          at which offset each leader epoch begins
log_hooks              what a log tells those who depend on it
loading                a partition's directory read at start
recovery               what may be torn after a crash is read again and cut
retention              which segments are old or too many
partition_directory    the names of partitions' directories
"""
