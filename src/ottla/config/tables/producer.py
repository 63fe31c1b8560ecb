"""What only the producer has, or has another default for. The form of the table: `ottla.config.tables`."""

TABLE = """
acks | STRING | all | [all, -1, 0, 1] | LOW |  | accepted
    Acknowledgements to wait for: 0 none, 1 the leader's, all those in sync.
    No effect: not yet, comes with the clients.
batch.size | INT | 16384 | [0,...] | MEDIUM |  | accepted
    Bytes that a batch of one partition is gathered up to.
    No effect: not yet, comes with the clients.
bootstrap.servers | LIST |  | non-null string | HIGH |  | accepted
    Some brokers as host:port, from which the others are found.
    No effect: not yet, comes with the clients.
buffer.memory | LONG | 33554432 | [0,...] | HIGH |  | accepted
    Bytes of records that may wait to be sent.
    No effect: not yet, comes with the clients.
client.id | STRING |  |  | MEDIUM |  | accepted
    Name that the broker logs and meters this client by.
    No effect: not yet, comes with the clients.
compression.gzip.level | INT | -1 | [1,...,9] or -1 | MEDIUM |  | accepted
    Level for gzip.
    No effect: not yet, comes with the clients.
compression.lz4.level | INT | 9 | [1,...,17] | MEDIUM |  | accepted
    Level for lz4.
    No effect: not yet, comes with the clients.
compression.type | STRING | none | [none, gzip, snappy, lz4, zstd] | HIGH |  | accepted
    Codec of the batches.
    No effect: not yet, comes with the clients.
compression.zstd.level | INT | 3 | [-131072,...,22] | MEDIUM |  | accepted
    Level for zstd.
    No effect: not yet, comes with the clients.
connections.max.idle.ms | LONG | 540000 |  | MEDIUM |  | accepted
    A connection that is silent for this long is closed.
    No effect: not yet, comes with the clients.
delivery.timeout.ms | INT | 120000 | [0,...] | MEDIUM |  | accepted
    A record is delivered or has failed after this long.
    No effect: not yet, comes with the clients.
enable.idempotence | BOOLEAN | true |  | LOW |  | accepted
    Whether each record is written exactly once.
    No effect: not yet, comes with the clients.
interceptor.classes | LIST |  | non-null string | LOW |  | accepted
    Objects that see every record.
    No effect: not yet, comes with the clients.
key.serializer | CLASS | (required) |  | HIGH |  | accepted
    How a key becomes bytes.
    No effect: not yet, comes with the clients.
linger.ms | LONG | 0 | [0,...] | MEDIUM |  | accepted
    How long a batch waits for more records.
    No effect: not yet, comes with the clients.
max.block.ms | LONG | 60000 | [0,...] | MEDIUM |  | accepted
    How long send may wait for metadata or for buffer space.
    No effect: not yet, comes with the clients.
max.in.flight.requests.per.connection | INT | 5 | [1,...] | LOW |  | accepted
    Requests under way to one broker.
    No effect: not yet, comes with the clients.
max.request.size | INT | 1048576 | [0,...] | MEDIUM |  | accepted
    Largest request.
    No effect: not yet, comes with the clients.
metadata.max.idle.ms | LONG | 300000 | [5000,...] | LOW |  | accepted
    A topic that was not produced to for this long is forgotten.
    No effect: not yet, comes with the clients.
metric.reporters | LIST |  | non-null string | LOW |  | accepted
    Classes that metrics are reported through.
    No effect: there is no Java code to load or tune.
partitioner.adaptive.partitioning.enable | BOOLEAN | true |  | LOW |  | accepted
    Whether faster brokers get more of the records without a key.
    No effect: not yet, comes with the clients.
partitioner.availability.timeout.ms | LONG | 0 | [0,...] | LOW |  | accepted
    A partition that takes nothing for this long is avoided; 0: never.
    No effect: not yet, comes with the clients.
partitioner.class | CLASS | null |  | MEDIUM |  | accepted
    What chooses a record's partition.
    No effect: not yet, comes with the clients.
partitioner.ignore.keys | BOOLEAN | false |  | MEDIUM |  | accepted
    Whether keys have no say in it.
    No effect: not yet, comes with the clients.
receive.buffer.bytes | INT | 32768 | [-1,...] | MEDIUM |  | accepted
    SO_RCVBUF; -1: the system's.
    No effect: not yet, comes with the clients.
retries | INT | 2147483647 | [0,...,2147483647] | HIGH |  | accepted
    How often a failed request is sent again.
    No effect: not yet, comes with the clients.
transaction.timeout.ms | INT | 60000 |  | LOW |  | accepted
    A transaction is aborted after this long.
    No effect: not yet, comes with transactions.
transactional.id | STRING | null | non-empty string | LOW |  | accepted
    Name under which transactions survive a restart.
    No effect: not yet, comes with transactions.
value.serializer | CLASS | (required) |  | HIGH |  | accepted
    How a value becomes bytes.
    No effect: not yet, comes with the clients.
timeout.ms | INT | 30000 | [0,...] | MEDIUM |  | mapped to request.timeout.ms
    The manual's time limit of acknowledgements.
block.on.buffer.full | BOOLEAN | true |  | LOW |  | mapped to max.block.ms
    Whether a full buffer blocks (max.block.ms without end) or fails (0).
metadata.fetch.timeout.ms | LONG | 60000 | [0,...] | LOW |  | mapped to max.block.ms
    The manual's time limit of the first metadata.
"""
