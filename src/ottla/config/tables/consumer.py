"""What only the consumer has, or has another default for. The form of the table: `ottla.config.tables`."""

TABLE = """
allow.auto.create.topics | BOOLEAN | true |  | MEDIUM |  | accepted
    Whether subscribing may create a topic.
    No effect: not yet, comes with the clients.
auto.commit.interval.ms | INT | 5000 | [0,...] | LOW |  | accepted
    How often offsets are committed by themselves.
    No effect: not yet, comes with the clients.
auto.offset.reset | STRING | latest | [latest, earliest, none] | MEDIUM |  | accepted
    Where to begin without a valid offset.
    No effect: not yet, comes with the clients.
bootstrap.servers | LIST |  | non-null string | HIGH |  | accepted
    Some brokers as host:port, from which the others are found.
    No effect: not yet, comes with the clients.
check.crcs | BOOLEAN | true |  | LOW |  | accepted
    Whether checksums are verified.
    No effect: not yet, comes with the clients.
client.id | STRING |  |  | LOW |  | accepted
    Name that the broker logs and meters this client by.
    No effect: not yet, comes with the clients.
client.rack | STRING |  |  | LOW |  | accepted
    Rack of this client, to read from a replica near it.
    No effect: not yet, comes with the clients.
connections.max.idle.ms | LONG | 540000 |  | MEDIUM |  | accepted
    A connection that is silent for this long is closed.
    No effect: not yet, comes with the clients.
default.api.timeout.ms | INT | 60000 | [0,...] | MEDIUM |  | accepted
    Time limit of calls that name none.
    No effect: not yet, comes with the clients.
enable.auto.commit | BOOLEAN | true |  | MEDIUM |  | accepted
    Whether offsets are committed by themselves.
    No effect: not yet, comes with the clients.
exclude.internal.topics | BOOLEAN | true |  | MEDIUM |  | accepted
    Whether a pattern leaves internal topics out.
    No effect: not yet, comes with the clients.
fetch.max.bytes | INT | 52428800 | [0,...] | MEDIUM |  | accepted
    Bytes to ask for in one fetch.
    No effect: not yet, comes with the clients.
fetch.max.wait.ms | INT | 500 | [0,...] | LOW |  | accepted
    How long a fetch waits for fetch.min.bytes.
    No effect: not yet, comes with the clients.
fetch.min.bytes | INT | 1 | [0,...] | HIGH |  | accepted
    Bytes that a fetch waits for.
    No effect: not yet, comes with the clients.
group.id | STRING | null |  | HIGH |  | accepted
    The consumer's group.
    No effect: not yet, comes with the clients.
group.instance.id | STRING | null | non-empty string | MEDIUM |  | accepted
    Name of a static member, which may restart without a rebalance.
    No effect: not yet, comes with the clients.
group.protocol | STRING | classic | (case insensitive) [CONSUMER, CLASSIC] | HIGH |  | accepted
    Group protocol: classic, or the newer one.
    No effect: not yet, comes with the clients.
group.remote.assignor | STRING | null |  | MEDIUM |  | accepted
    Assignor of the server.
    No effect: not yet, comes with the newer group protocol.
heartbeat.interval.ms | INT | 3000 |  | HIGH |  | accepted
    How often a member says that it lives.
    No effect: not yet, comes with the clients.
interceptor.classes | LIST |  | non-null string | LOW |  | accepted
    Objects that see every record.
    No effect: not yet, comes with the clients.
isolation.level | STRING | read_uncommitted | [read_committed, read_uncommitted] | MEDIUM |  | accepted
    Whether records of open and aborted transactions are read.
    No effect: not yet, comes with the clients.
key.deserializer | CLASS | (required) |  | HIGH |  | accepted
    How bytes become a key.
    No effect: not yet, comes with the clients.
max.partition.fetch.bytes | INT | 1048576 | [0,...] | HIGH |  | accepted
    Bytes to ask for per partition.
    No effect: not yet, comes with the clients.
max.poll.interval.ms | INT | 300000 | [1,...] | MEDIUM |  | accepted
    A member that does not poll for this long leaves its group.
    No effect: not yet, comes with the clients.
max.poll.records | INT | 500 | [1,...] | MEDIUM |  | accepted
    Most records of one poll.
    No effect: not yet, comes with the clients.
metric.reporters | LIST |  | non-null string | LOW |  | accepted
    Classes that metrics are reported through.
    No effect: there is no Java code to load or tune.
partition.assignment.strategy | LIST | org.apache.kafka.clients.consumer.RangeAssignor,org.apache.kafka.clients.consumer.CooperativeStickyAssignor | non-null string | MEDIUM |  | accepted
    Assignors, the preferred first.
    No effect: not yet, comes with the clients.
receive.buffer.bytes | INT | 65536 | [-1,...] | MEDIUM |  | accepted
    SO_RCVBUF; -1: the system's.
    No effect: not yet, comes with the clients.
session.timeout.ms | INT | 45000 |  | HIGH |  | accepted
    A member that is silent for this long is dead.
    No effect: not yet, comes with the clients.
value.deserializer | CLASS | (required) |  | HIGH |  | accepted
    How bytes become a value.
    No effect: not yet, comes with the clients.
"""
