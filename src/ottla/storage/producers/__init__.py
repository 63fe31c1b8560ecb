"""What is remembered of the producers of a partition.

producer_state           the last batches of each producer: duplicates, gaps, open transactions
recent_producer_batches  the five last batches of a producer
open_transactions        which transactions are open, the oldest first
producer_replay          tells the producers of batches that are in the log already
producer_snapshot        the form of a snapshot of the producers
snapshot_files           the snapshot files of a partition
known_producers          the highest producer id that log directories know of
refused_batches          batches of producers that the partition does not know yet, refused before they were written
"""
