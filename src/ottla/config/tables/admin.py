"""What only the admin has, or has another default for. The form of the table: `ottla.config.tables`."""

TABLE = """
bootstrap.controllers | LIST |  |  | HIGH |  | accepted
    Controllers of the quorum to talk to instead of brokers.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
bootstrap.servers | LIST |  |  | HIGH |  | accepted
    Some brokers as host:port, from which the others are found.
    No effect: not yet, comes with the clients.
client.id | STRING |  |  | MEDIUM |  | accepted
    Name that the broker logs and meters this client by.
    No effect: not yet, comes with the clients.
connections.max.idle.ms | LONG | 300000 |  | MEDIUM |  | accepted
    A connection that is silent for this long is closed.
    No effect: not yet, comes with the clients.
default.api.timeout.ms | INT | 60000 | [0,...] | MEDIUM |  | accepted
    Time limit of calls that name none.
    No effect: not yet, comes with the clients.
metric.reporters | LIST |  |  | LOW |  | accepted
    Classes that metrics are reported through.
    No effect: there is no Java code to load or tune.
receive.buffer.bytes | INT | 65536 | [-1,...] | MEDIUM |  | accepted
    SO_RCVBUF; -1: the system's.
    No effect: not yet, comes with the clients.
retries | INT | 2147483647 | [0,...,2147483647] | LOW |  | accepted
    How often a failed request is sent again.
    No effect: not yet, comes with the clients.
"""
