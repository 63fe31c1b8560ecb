"""What a topic may set for itself, with the broker's key that it falls back to.

The form of the table: `ottla.config.tables`.
"""

TABLE = """
cleanup.policy | LIST | delete | [compact, delete] | MEDIUM | dynamic | honoured | log.cleanup.policy | What happens to old data: delete, compact, or both.
compression.gzip.level | INT | -1 | [1,...,9] or -1 | MEDIUM | dynamic | honoured | compression.gzip.level | Level for gzip where the broker compresses.
compression.lz4.level | INT | 9 | [1,...,17] | MEDIUM | dynamic | honoured | compression.lz4.level | Level for lz4 where the broker compresses.
compression.type | STRING | producer | [uncompressed, zstd, lz4, snappy, gzip, producer] | MEDIUM | dynamic | honoured | compression.type | Codec in which batches are stored; producer: as they came.
compression.zstd.level | INT | 3 | [-131072,...,22] | MEDIUM | dynamic | honoured | compression.zstd.level | Level for zstd where the broker compresses.
delete.retention.ms | LONG | 86400000 | [0,...] | MEDIUM | dynamic | honoured | log.cleaner.delete.retention.ms | How long a deletion marker (tombstone) is kept.
file.delete.delay.ms | LONG | 60000 | [0,...] | MEDIUM | dynamic | honoured | log.segment.delete.delay.ms | How long a deleted file stays on disk, for reads under way.
flush.messages | LONG | 9223372036854775807 | [1,...] | MEDIUM | dynamic | honoured | log.flush.interval.messages | After so many messages a partition is forced to disk, before they are acknowledged.
flush.ms | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | honoured | log.flush.interval.ms | A message is forced to disk at most this long after it came.
follower.replication.throttled.replicas | LIST |  | partition:broker pairs | MEDIUM | dynamic | accepted: not yet, comes with quotas | Replicas whose fetching is throttled: partition:broker pairs, or *.
index.interval.bytes | INT | 4096 | [0,...] | MEDIUM | dynamic | honoured | log.index.interval.bytes | Bytes of log between two entries of an index.
leader.replication.throttled.replicas | LIST |  | partition:broker pairs | MEDIUM | dynamic | accepted: not yet, comes with quotas | Replicas that are throttled at their leader: partition:broker pairs, or *.
local.retention.bytes | LONG | -2 | [-2,...] | MEDIUM | dynamic | accepted: there is no tiered storage | log.local.retention.bytes | Size above which uploaded segments are deleted here.
local.retention.ms | LONG | -2 | [-2,...] | MEDIUM | dynamic | accepted: there is no tiered storage | log.local.retention.ms | Age at which an uploaded segment is deleted here.
max.compaction.lag.ms | LONG | 9223372036854775807 | [1,...] | MEDIUM | dynamic | honoured | log.cleaner.max.compaction.lag.ms | A record stays uncompacted for at most this long.
max.message.bytes | INT | 1048588 | [0,...] | MEDIUM | dynamic | honoured | message.max.bytes | Largest record batch that is accepted.
message.downconversion.enable | BOOLEAN | true |  | LOW | dynamic | honoured | log.message.downconversion.enable | Whether clients of Fetch 0 to 3 get their old format; where not, UNSUPPORTED_VERSION.
message.format.version | STRING | 3.0-IV1 | a Kafka version | MEDIUM | dynamic | accepted: records are stored in format v2 whatever this says, as in Kafka since 3.0 | log.message.format.version | Format in which messages are stored.
message.timestamp.after.max.ms | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | honoured | log.message.timestamp.after.max.ms | How far a record's time may lie after the broker's.
message.timestamp.before.max.ms | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | honoured | log.message.timestamp.before.max.ms | How far a record's time may lie before the broker's.
message.timestamp.difference.max.ms | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | honoured | log.message.timestamp.difference.max.ms | The older form of the two bounds above: both at once.
message.timestamp.type | STRING | CreateTime | [CreateTime, LogAppendTime] | MEDIUM | dynamic | honoured | log.message.timestamp.type | Whether a record keeps its producer's time or gets the broker's.
min.cleanable.dirty.ratio | DOUBLE | 0.5 | [0,...,1] | MEDIUM | dynamic | honoured | log.cleaner.min.cleanable.ratio | Share of the log that must be dirty before it is compacted.
min.compaction.lag.ms | LONG | 0 | [0,...] | MEDIUM | dynamic | honoured | log.cleaner.min.compaction.lag.ms | A record stays uncompacted for at least this long.
min.insync.replicas | INT | 1 | [1,...] | MEDIUM | dynamic | honoured | min.insync.replicas | Replicas that must be in sync for acks=all to be accepted.
preallocate | BOOLEAN | false |  | MEDIUM | dynamic | honoured | log.preallocate | Whether a segment's file gets its full size at once.
remote.log.copy.disable | BOOLEAN | false |  | MEDIUM | dynamic | accepted: there is no tiered storage | Whether uploading has stopped.
remote.log.delete.on.disable | BOOLEAN | false |  | MEDIUM | dynamic | accepted: there is no tiered storage | Whether remote data goes when remote storage is switched off.
remote.storage.enable | BOOLEAN | false |  | MEDIUM | dynamic | accepted: there is no tiered storage | Whether segments are also kept in remote storage.
retention.bytes | LONG | -1 |  | MEDIUM | dynamic | honoured | log.retention.bytes | Size of a partition above which its oldest segments are deleted; -1: no bound.
retention.ms | LONG | 604800000 | [-1,...] | MEDIUM | dynamic | honoured | log.retention.ms | Age at which a closed segment is deleted; -1: never.
segment.bytes | INT | 1073741824 | [14,...] | MEDIUM | dynamic | honoured | log.segment.bytes | A segment file is closed at this size and a new one begun.
segment.index.bytes | INT | 10485760 | [4,...] | MEDIUM | dynamic | honoured | log.index.size.max.bytes | Size of an index file; a full one closes its segment.
segment.jitter.ms | LONG | 0 | [0,...] | MEDIUM | dynamic | honoured | log.roll.jitter.ms | At most so much is taken off segment.ms at random.
segment.ms | LONG | 604800000 | [1,...] | MEDIUM | dynamic | honoured | log.roll.ms | A segment is closed at this age, however small.
unclean.leader.election.enable | BOOLEAN | false |  | MEDIUM | dynamic | honoured | unclean.leader.election.enable | Whether a replica out of sync may lead when no other can, losing data.
"""
