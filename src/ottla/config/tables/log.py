"""How a partition's log is written, flushed, kept and compacted. The form of the table: `ottla.config.tables`."""

TABLE = """
log.segment.bytes | INT | 1073741824 | [14,...] | HIGH | dynamic | honoured | A segment file is closed at this size and a new one begun.
log.roll.ms | LONG | null |  | HIGH | dynamic | honoured | A segment is closed at this age, however small; goes before log.roll.hours.
log.roll.hours | INT | 168 | [1,...] | HIGH | read-only | honoured | The same in hours.
log.roll.jitter.ms | LONG | null |  | HIGH | dynamic | honoured | At most so much is taken off log.roll.ms at random, so that segments do not all roll at once.
log.roll.jitter.hours | INT | 0 | [0,...] | HIGH | read-only | honoured | The same in hours.
log.retention.ms | LONG | null |  | HIGH | dynamic | honoured | Age at which a closed segment is deleted; -1: never; goes before minutes and hours.
log.retention.minutes | INT | null |  | HIGH | read-only | honoured | The same in minutes; goes before hours.
log.retention.hours | INT | 168 |  | HIGH | read-only | honoured | The same in hours.
log.retention.bytes | LONG | -1 |  | HIGH | dynamic | honoured | Size of a partition above which its oldest segments are deleted; -1: no bound.
log.retention.check.interval.ms | LONG | 300000 | [1,...] | MEDIUM | read-only | honoured | How often retention is looked at.
log.local.retention.ms | LONG | -2 | [-2,...] | MEDIUM | dynamic | accepted: there is no tiered storage | Age at which a segment that was uploaded is deleted here.
log.local.retention.bytes | LONG | -2 | [-2,...] | MEDIUM | dynamic | accepted: there is no tiered storage | Size of a partition above which uploaded segments are deleted here.
log.cleanup.policy | LIST | delete | [compact, delete] | MEDIUM | dynamic | honoured | What happens to old data: delete, compact, or both.
log.cleaner.enable | BOOLEAN | true |  | MEDIUM | read-only | honoured | Whether compaction runs.
log.cleaner.threads | INT | 1 | [0,...] | MEDIUM | dynamic | accepted: one process cleans, one log at a time | Compactions at a time.
log.cleaner.backoff.ms | LONG | 15000 | [0,...] | MEDIUM | dynamic | honoured | Pause of the cleaner when there is nothing to clean.
log.cleaner.dedupe.buffer.size | LONG | 134217728 |  | MEDIUM | dynamic | honoured | Memory for the table of keys.
log.cleaner.io.buffer.size | INT | 524288 | [0,...] | MEDIUM | dynamic | accepted: the cleaner reads a mebibyte at a time | Size of a read or write of the cleaner.
log.cleaner.io.buffer.load.factor | DOUBLE | 0.9 |  | MEDIUM | dynamic | accepted: the table of keys grows as it needs to, up to its size | How full the table of keys may get.
log.cleaner.io.max.bytes.per.second | DOUBLE | 1.7976931348623157E308 |  | MEDIUM | dynamic | accepted: not yet, comes with the log cleaner | Most I/O of the cleaner.
log.cleaner.min.cleanable.ratio | DOUBLE | 0.5 | [0,...,1] | MEDIUM | dynamic | honoured | Share of a log that must be dirty before it is compacted.
log.cleaner.min.compaction.lag.ms | LONG | 0 | [0,...] | MEDIUM | dynamic | honoured | A record stays uncompacted for at least this long.
log.cleaner.max.compaction.lag.ms | LONG | 9223372036854775807 | [1,...] | MEDIUM | dynamic | honoured | A record stays uncompacted for at most this long.
log.cleaner.delete.retention.ms | LONG | 86400000 | [0,...] | MEDIUM | dynamic | honoured | How long a deletion marker (tombstone) is kept.
log.index.size.max.bytes | INT | 10485760 | [4,...] | MEDIUM | dynamic | honoured | Size of an index file; a full one closes its segment.
log.index.interval.bytes | INT | 4096 | [0,...] | MEDIUM | dynamic | honoured | Bytes of log between two entries of an index.
log.flush.interval.messages | LONG | 9223372036854775807 | [1,...] | HIGH | dynamic | honoured | After so many messages a partition is forced to disk, before they are acknowledged.
log.flush.interval.ms | LONG | null |  | HIGH | dynamic | honoured | A message is forced to disk at most this long after it came; unset: log.flush.scheduler.interval.ms.
log.flush.scheduler.interval.ms | LONG | 9223372036854775807 |  | HIGH | read-only | accepted: what is due is looked for as often as log.flush.interval.ms needs | How often the flusher looks whether anything is due.
log.flush.offset.checkpoint.interval.ms | INT | 60000 | [0,...] | HIGH | read-only | honoured | How often recovery points are written down.
log.flush.start.offset.checkpoint.interval.ms | INT | 60000 | [0,...] | HIGH | read-only | honoured | How often log start offsets are written down.
log.segment.delete.delay.ms | LONG | 60000 | [0,...] | HIGH | dynamic | honoured | How long a deleted file stays on disk, for reads under way.
log.dir.failure.timeout.ms | LONG | 30000 | [1,...] | LOW | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | A broker that cannot report a failed directory for this long stops.
log.preallocate | BOOLEAN | false |  | MEDIUM | dynamic | honoured | Whether a segment's file gets its full size at once.
log.message.format.version | STRING | 3.0-IV1 | a Kafka version | MEDIUM | read-only | accepted: records are stored in format v2 whatever this says, as in Kafka since 3.0 | Format in which messages are stored.
log.message.timestamp.type | STRING | CreateTime | [CreateTime, LogAppendTime] | MEDIUM | dynamic | honoured | Whether a record keeps its producer's time or gets the broker's.
log.message.timestamp.before.max.ms | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | honoured | How far a record's time may lie before the broker's.
log.message.timestamp.after.max.ms | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | honoured | How far a record's time may lie after the broker's.
log.message.timestamp.difference.max.ms | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | honoured | The older form of the two bounds above: both at once.
log.message.downconversion.enable | BOOLEAN | true |  | LOW | dynamic | honoured | Whether clients of Fetch 0 to 3 get their old format; where not, UNSUPPORTED_VERSION.
message.max.bytes | INT | 1048588 | [0,...] | HIGH | dynamic | honoured | Largest record batch that is accepted.
compression.type | STRING | producer | [uncompressed, zstd, lz4, snappy, gzip, producer] | HIGH | dynamic | honoured | Codec in which batches are stored; producer: as they came.
compression.gzip.level | INT | -1 | [1,...,9] or -1 | MEDIUM | dynamic | honoured | Level for gzip where the broker compresses.
compression.lz4.level | INT | 9 | [1,...,17] | MEDIUM | dynamic | honoured | Level for lz4 where the broker compresses.
compression.zstd.level | INT | 3 | [-131072,...,22] | MEDIUM | dynamic | honoured | Level for zstd where the broker compresses.
num.recovery.threads.per.data.dir | INT | 1 | [1,...] | HIGH | dynamic | honoured | Threads per directory for recovery at start. A stop flushes with 16: the file system joins syncs that come together.
producer.id.expiration.ms | INT | 86400000 | [1,...] | LOW | dynamic | honoured | A producer id that was idle for this long is forgotten.
log.delete.delay.ms | LONG | 60000 | [0,...] | HIGH | read-only | mapped to log.segment.delete.delay.ms | The manual's other name of log.segment.delete.delay.ms.
"""
