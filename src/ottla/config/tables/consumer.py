"""Keys that only the consumer has, or with another default there. The form of the table: `ottla.config.tables`."""

TABLE = """
allow.auto.create.topics | BOOLEAN | true |  | MEDIUM |  | honoured | Whether subscribing may create a topic.
auto.commit.interval.ms | INT | 5000 | [0,...] | LOW |  | honoured | How often offsets are committed by themselves.
auto.offset.reset | STRING | latest | [latest, earliest, none] | MEDIUM |  | honoured | Where to begin without a valid offset.
bootstrap.servers | LIST |  | non-null string | HIGH |  | honoured | Some brokers as host:port, from which the others are found.
check.crcs | BOOLEAN | true |  | LOW |  | honoured | Whether checksums are verified.
client.id | STRING |  |  | LOW |  | honoured | Name that the broker logs and meters this client by.
client.rack | STRING |  |  | LOW |  | honoured | Rack of this client, to read from a replica near it.
connections.max.idle.ms | LONG | 540000 |  | MEDIUM |  | honoured | A connection that is silent for this long is closed.
default.api.timeout.ms | INT | 60000 | [0,...] | MEDIUM |  | honoured | Time limit of calls that name none.
enable.auto.commit | BOOLEAN | true |  | MEDIUM |  | honoured | Whether offsets are committed by themselves.
exclude.internal.topics | BOOLEAN | true |  | MEDIUM |  | honoured | Whether a pattern leaves internal topics out.
fetch.max.bytes | INT | 52428800 | [0,...] | MEDIUM |  | honoured | Bytes to ask for in one fetch.
fetch.max.wait.ms | INT | 500 | [0,...] | LOW |  | honoured | How long a fetch waits for fetch.min.bytes.
fetch.min.bytes | INT | 1 | [0,...] | HIGH |  | honoured | Bytes that a fetch waits for.
group.id | STRING | null |  | HIGH |  | honoured | The consumer's group.
group.instance.id | STRING | null | non-empty string | MEDIUM |  | honoured | Name of a static member, which may restart without a rebalance.
group.protocol | STRING | classic | (case insensitive) [CONSUMER, CLASSIC] | HIGH |  | accepted: only classic is taken; consumer (KIP-848) is refused | Group protocol: classic, or the newer one.
group.remote.assignor | STRING | null |  | MEDIUM |  | accepted: not yet, comes with the consumer group protocol | Assignor of the server.
heartbeat.interval.ms | INT | 3000 |  | HIGH |  | honoured | How often a member says that it lives.
interceptor.classes | LIST |  | non-null string | LOW |  | honoured | Objects that see every record.
isolation.level | STRING | read_uncommitted | [read_committed, read_uncommitted] | MEDIUM |  | honoured | Whether records of open and aborted transactions are read.
key.deserializer | CLASS | (required) |  | HIGH |  | honoured | How bytes become a key.
max.partition.fetch.bytes | INT | 1048576 | [0,...] | HIGH |  | honoured | Bytes to ask for per partition.
max.poll.interval.ms | INT | 300000 | [1,...] | MEDIUM |  | honoured | A member that does not poll for this long leaves its group.
max.poll.records | INT | 500 | [1,...] | MEDIUM |  | honoured | Most records of one poll.
metric.reporters | LIST |  | non-null string | LOW |  | accepted: there is no Java code to load or tune | Classes that metrics are reported through.
partition.assignment.strategy | LIST | org.apache.kafka.clients.consumer.RangeAssignor,org.apache.kafka.clients.consumer.CooperativeStickyAssignor | non-null string | MEDIUM |  | honoured | Assignors, the preferred first.
receive.buffer.bytes | INT | 65536 | [-1,...] | MEDIUM |  | accepted: the system sizes its buffers itself | SO_RCVBUF; -1: the system's.
session.timeout.ms | INT | 45000 |  | HIGH |  | honoured | A member that is silent for this long is dead.
value.deserializer | CLASS | (required) |  | HIGH |  | honoured | How bytes become a value.
"""
