"""Keys that only the producer has, or with another default there. The form of the table: `ottla.config.tables`."""

TABLE = """
acks | STRING | all | [all, -1, 0, 1] | LOW |  | honoured | Acknowledgements to wait for: 0 none, 1 the leader's, all those in sync.
batch.size | INT | 16384 | [0,...] | MEDIUM |  | honoured | Bytes that a batch of one partition is gathered up to.
bootstrap.servers | LIST |  | non-null string | HIGH |  | honoured | Some brokers as host:port, from which the others are found.
buffer.memory | LONG | 33554432 | [0,...] | HIGH |  | honoured | Bytes of records that may wait to be sent.
client.id | STRING |  |  | MEDIUM |  | honoured | Name that the broker logs and meters this client by.
compression.gzip.level | INT | -1 | [1,...,9] or -1 | MEDIUM |  | honoured | Level for gzip.
compression.lz4.level | INT | 9 | [1,...,17] | MEDIUM |  | honoured | Level for lz4.
compression.type | STRING | none | [none, gzip, snappy, lz4, zstd] | HIGH |  | honoured | Codec of the batches.
compression.zstd.level | INT | 3 | [-131072,...,22] | MEDIUM |  | honoured | Level for zstd.
connections.max.idle.ms | LONG | 540000 |  | MEDIUM |  | honoured | A connection that is silent for this long is closed.
delivery.timeout.ms | INT | 120000 | [0,...] | MEDIUM |  | honoured | A record is delivered or has failed after this long.
enable.idempotence | BOOLEAN | true |  | LOW |  | honoured | Whether each record is written exactly once.
interceptor.classes | LIST |  | non-null string | LOW |  | honoured | Objects that see every record.
key.serializer | CLASS | (required) |  | HIGH |  | honoured | How a key becomes bytes.
linger.ms | LONG | 0 | [0,...] | MEDIUM |  | honoured | How long a batch waits for more records.
max.block.ms | LONG | 60000 | [0,...] | MEDIUM |  | honoured | How long send may wait for metadata or for buffer space.
max.in.flight.requests.per.connection | INT | 5 | [1,...] | LOW |  | honoured | Requests under way to one broker.
max.request.size | INT | 1048576 | [0,...] | MEDIUM |  | honoured | Largest request.
metadata.max.idle.ms | LONG | 300000 | [5000,...] | LOW |  | accepted: a topic is not forgotten while the producer lives | A topic that was not produced to for this long is forgotten.
metric.reporters | LIST |  | non-null string | LOW |  | accepted: there is no Java code to load or tune | Classes that metrics are reported through.
partitioner.adaptive.partitioning.enable | BOOLEAN | true |  | LOW |  | accepted: the sticky partition is chosen at random among those with a leader | Whether faster brokers get more of the records without a key.
partitioner.availability.timeout.ms | LONG | 0 | [0,...] | LOW |  | accepted: the sticky partition is chosen at random among those with a leader | A partition that takes nothing for this long is avoided; 0: never.
partitioner.class | CLASS | null |  | MEDIUM |  | honoured | What chooses a record's partition.
partitioner.ignore.keys | BOOLEAN | false |  | MEDIUM |  | honoured | Whether keys have no say in it.
receive.buffer.bytes | INT | 32768 | [-1,...] | MEDIUM |  | accepted: the system sizes its buffers itself | SO_RCVBUF; -1: the system's.
retries | INT | 2147483647 | [0,...,2147483647] | HIGH |  | honoured | How often a failed request is sent again.
transaction.timeout.ms | INT | 60000 |  | LOW |  | accepted: not yet, comes with transactions | A transaction is aborted after this long.
transactional.id | STRING | null | non-empty string | LOW |  | accepted: not yet, comes with transactions | Name under which transactions survive a restart.
value.serializer | CLASS | (required) |  | HIGH |  | honoured | How a value becomes bytes.
timeout.ms | INT | 30000 | [0,...] | MEDIUM |  | mapped to request.timeout.ms | The manual's time limit of acknowledgements.
block.on.buffer.full | BOOLEAN | true |  | LOW |  | mapped to max.block.ms | Whether a full buffer blocks (max.block.ms without end) or fails (0).
metadata.fetch.timeout.ms | LONG | 60000 | [0,...] | LOW |  | mapped to max.block.ms | The manual's time limit of the first metadata.
"""
