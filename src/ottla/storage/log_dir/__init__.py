"""One log directory of a broker.

log_dirs            all of them, failing one by one
log_dir             its lock, its identity, its checkpoints, and whether it is online
directory_lock      one process at a time
meta_properties     whose directory it is
checkpoints         offsets of all partitions of a directory
checkpoint_text     the form of Kafka's checkpoint files
clean_shutdown      the mark of a clean stop
power_loss_marker   whether anything that was written may be lost
directory_loading   the partitions of a directory loaded, some at a time
load_progress       how far that is, in the log
log_dir_scan        what a directory holds, for who takes it over
"""
