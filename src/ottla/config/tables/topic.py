"""What a topic may set for itself, with the broker's key that it falls back to.

The form of the table: `ottla.config.tables`.
"""

TABLE = """
cleanup.policy | LIST | delete | [compact, delete] | MEDIUM | dynamic | honoured
    What happens to old data: delete, compact, or both.
    Else: log.cleanup.policy.
compression.gzip.level | INT | -1 | [1,...,9] or -1 | MEDIUM | dynamic | honoured
    Level for gzip where the broker compresses.
    Else: compression.gzip.level.
compression.lz4.level | INT | 9 | [1,...,17] | MEDIUM | dynamic | honoured
    Level for lz4 where the broker compresses.
    Else: compression.lz4.level.
compression.type | STRING | producer | [uncompressed, zstd, lz4, snappy, gzip, producer] | MEDIUM | dynamic | honoured
    Codec in which batches are stored; producer: as they came.
    Else: compression.type.
compression.zstd.level | INT | 3 | [-131072,...,22] | MEDIUM | dynamic | honoured
    Level for zstd where the broker compresses.
    Else: compression.zstd.level.
delete.retention.ms | LONG | 86400000 | [0,...] | MEDIUM | dynamic | honoured
    How long a deletion marker (tombstone) is kept.
    Else: log.cleaner.delete.retention.ms.
file.delete.delay.ms | LONG | 60000 | [0,...] | MEDIUM | dynamic | honoured
    How long a deleted file stays on disk, for reads under way.
    Else: log.segment.delete.delay.ms.
flush.messages | LONG | 9223372036854775807 | [1,...] | MEDIUM | dynamic | honoured
    After so many messages a partition is forced to disk, before they are acknowledged.
    Else: log.flush.interval.messages.
flush.ms | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | honoured
    A message is forced to disk at most this long after it came.
    Else: log.flush.interval.ms.
follower.replication.throttled.replicas | LIST |  | partition:broker pairs | MEDIUM | dynamic | accepted: not yet, comes with quotas
    Replicas whose fetching is throttled: partition:broker pairs, or *.
index.interval.bytes | INT | 4096 | [0,...] | MEDIUM | dynamic | honoured
    Bytes of log between two entries of an index.
    Else: log.index.interval.bytes.
leader.replication.throttled.replicas | LIST |  | partition:broker pairs | MEDIUM | dynamic | accepted: not yet, comes with quotas
    Replicas that are throttled at their leader: partition:broker pairs, or *.
local.retention.bytes | LONG | -2 | [-2,...] | MEDIUM | dynamic | accepted: there is no tiered storage
    Size above which uploaded segments are deleted here.
    Else: log.local.retention.bytes.
local.retention.ms | LONG | -2 | [-2,...] | MEDIUM | dynamic | accepted: there is no tiered storage
    Age at which an uploaded segment is deleted here.
    Else: log.local.retention.ms.
max.compaction.lag.ms | LONG | 9223372036854775807 | [1,...] | MEDIUM | dynamic | honoured
    A record stays uncompacted for at most this long.
    Else: log.cleaner.max.compaction.lag.ms.
max.message.bytes | INT | 1048588 | [0,...] | MEDIUM | dynamic | honoured
    Largest record batch that is accepted.
    Else: message.max.bytes.
message.downconversion.enable | BOOLEAN | true |  | LOW | dynamic | honoured
    Whether clients of Fetch 0 to 3 get their old format; where not, UNSUPPORTED_VERSION.
    Else: log.message.downconversion.enable.
message.format.version | STRING | 3.0-IV1 | a Kafka version | MEDIUM | dynamic | accepted: records are stored in format v2 whatever this says, as in Kafka since 3.0
    Format in which messages are stored.
    Else: log.message.format.version.
message.timestamp.after.max.ms | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | honoured
    How far a record's time may lie after the broker's.
    Else: log.message.timestamp.after.max.ms.
message.timestamp.before.max.ms | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | honoured
    How far a record's time may lie before the broker's.
    Else: log.message.timestamp.before.max.ms.
message.timestamp.difference.max.ms | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | honoured
    The older form of the two bounds above: both at once.
    Else: log.message.timestamp.difference.max.ms.
message.timestamp.type | STRING | CreateTime | [CreateTime, LogAppendTime] | MEDIUM | dynamic | honoured
    Whether a record keeps its producer's time or gets the broker's.
    Else: log.message.timestamp.type.
min.cleanable.dirty.ratio | DOUBLE | 0.5 | [0,...,1] | MEDIUM | dynamic | honoured
    Share of the log that must be dirty before it is compacted.
    Else: log.cleaner.min.cleanable.ratio.
min.compaction.lag.ms | LONG | 0 | [0,...] | MEDIUM | dynamic | honoured
    A record stays uncompacted for at least this long.
    Else: log.cleaner.min.compaction.lag.ms.
min.insync.replicas | INT | 1 | [1,...] | MEDIUM | dynamic | honoured
    Replicas that must be in sync for acks=all to be accepted.
    Else: min.insync.replicas.
preallocate | BOOLEAN | false |  | MEDIUM | dynamic | honoured
    Whether a segment's file gets its full size at once.
    Else: log.preallocate.
remote.log.copy.disable | BOOLEAN | false |  | MEDIUM | dynamic | accepted: there is no tiered storage
    Whether uploading has stopped.
remote.log.delete.on.disable | BOOLEAN | false |  | MEDIUM | dynamic | accepted: there is no tiered storage
    Whether remote data goes when remote storage is switched off.
remote.storage.enable | BOOLEAN | false |  | MEDIUM | dynamic | accepted: there is no tiered storage
    Whether segments are also kept in remote storage.
retention.bytes | LONG | -1 |  | MEDIUM | dynamic | honoured
    Size of a partition above which its oldest segments are deleted; -1: no bound.
    Else: log.retention.bytes.
retention.ms | LONG | 604800000 | [-1,...] | MEDIUM | dynamic | honoured
    Age at which a closed segment is deleted; -1: never.
    Else: log.retention.ms.
segment.bytes | INT | 1073741824 | [14,...] | MEDIUM | dynamic | honoured
    A segment file is closed at this size and a new one begun.
    Else: log.segment.bytes.
segment.index.bytes | INT | 10485760 | [4,...] | MEDIUM | dynamic | honoured
    Size of an index file; a full one closes its segment.
    Else: log.index.size.max.bytes.
segment.jitter.ms | LONG | 0 | [0,...] | MEDIUM | dynamic | honoured
    At most so much is taken off segment.ms at random.
    Else: log.roll.jitter.ms.
segment.ms | LONG | 604800000 | [1,...] | MEDIUM | dynamic | honoured
    A segment is closed at this age, however small.
    Else: log.roll.ms.
unclean.leader.election.enable | BOOLEAN | false |  | MEDIUM | dynamic | honoured
    Whether a replica out of sync may lead when no other can, losing data.
    Else: unclean.leader.election.enable.
"""
