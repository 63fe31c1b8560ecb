"""The logs on disk."""

METRICS = """
kafka_log_logflushstats_logflushrateandtimems | summary |  | ms | kafka.log:type=LogFlushStats,name=LogFlushRateAndTimeMs | Milliseconds that forcing a log to disk took; the count is how often.
kafka_log_log_size | gauge | topic,partition | | kafka.log:type=Log,name=Size,topic=T,partition=P | Bytes of a partition on disk.
kafka_log_log_logstartoffset | gauge | topic,partition | | kafka.log:type=Log,name=LogStartOffset,topic=T,partition=P | First offset that is still there.
kafka_log_log_logendoffset | gauge | topic,partition | | kafka.log:type=Log,name=LogEndOffset,topic=T,partition=P | The offset that the next record will get.
kafka_log_log_numlogsegments | gauge | topic,partition | | kafka.log:type=Log,name=NumLogSegments,topic=T,partition=P | Segments of a partition.
kafka_log_logmanager_offlinelogdirectorycount | gauge |  | | kafka.log:type=LogManager,name=OfflineLogDirectoryCount | Log directories that failed.
kafka_log_logmanager_remaininglogstorecover | gauge | dir | | kafka.log:type=LogManager,name=remainingLogsToRecover,dir=D | Partitions of this log directory that are still to be loaded, while the broker starts.
kafka_log_logmanager_remainingsegmentstorecover | gauge | dir,threadNum | | kafka.log:type=LogManager,name=remainingSegmentsToRecover,dir=D,threadNum=N | Segments that are still to be checked after a crash, of the partitions being loaded; all threads as thread 0.
kafka_log_logmanager_logdirectoryoffline | gauge | logDirectory | | kafka.log:type=LogManager,name=LogDirectoryOffline,logDirectory=D | 1 where this log directory failed.
kafka_log_logcleaner_deadthreadcount | gauge |  | | kafka.log:type=LogCleaner,name=DeadThreadCount | Cleaners that died.
kafka_log_logcleaner_cleaner_recopy_percent | gauge |  | | kafka.log:type=LogCleaner,name=cleaner-recopy-percent | What was left of the data of the last cleaning, in percent.
kafka_log_logcleaner_max_buffer_utilization_percent | gauge |  | | kafka.log:type=LogCleaner,name=max-buffer-utilization-percent | How full the table of keys was in the last cleaning.
kafka_log_logcleaner_max_clean_time_secs | gauge |  | | kafka.log:type=LogCleaner,name=max-clean-time-secs | How long the last cleaning took.
kafka_log_logcleaner_max_compaction_delay_secs | gauge |  | | kafka.log:type=LogCleaner,name=max-compaction-delay-secs | How late the last cleaning was by max.compaction.lag.ms.
kafka_log_logcleanermanager_max_dirty_percent | gauge |  | | kafka.log:type=LogCleanerManager,name=max-dirty-percent | Share of the dirtiest log that is dirty.
kafka_log_logcleanermanager_time_since_last_run_ms | gauge |  | | kafka.log:type=LogCleanerManager,name=time-since-last-run-ms | Milliseconds since the cleaner ran.
kafka_log_logcleanermanager_uncleanable_bytes | gauge | logDirectory | | kafka.log:type=LogCleanerManager,name=uncleanable-bytes,logDirectory=D | Bytes of logs that the cleaner gave up on.
kafka_log_logcleanermanager_uncleanable_partitions_count | gauge | logDirectory | | kafka.log:type=LogCleanerManager,name=uncleanable-partitions-count,logDirectory=D | Partitions that the cleaner gave up on.
"""
