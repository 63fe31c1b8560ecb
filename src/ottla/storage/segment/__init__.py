"""One segment of a log: a log file and its indexes.

segment         a log file with its three indexes: append, find, read, truncate
segment_files   the names of a segment's files
segment_list    the segments of a log, by base offset
segment_scan    reads a log file from its start, which may be torn
batch_scan      walks the headers of batches in a log file
sparse_index    an index file of fixed-size entries, in memory while the segment is active
offset_index    from an offset to the position of its batch
time_index      from a timestamp to an offset
txn_index       the aborted transactions that end in a segment
roll_rule       when a segment is full and the next one begins
"""
