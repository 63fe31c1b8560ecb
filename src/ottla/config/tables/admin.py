"""Keys that only the admin has, or with another default there. The form of the table: `ottla.config.tables`."""

TABLE = """
bootstrap.controllers | LIST |  |  | HIGH |  | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Controllers of the quorum to talk to instead of brokers.
bootstrap.servers | LIST |  |  | HIGH |  | honoured | Some brokers as host:port, from which the others are found.
client.id | STRING |  |  | MEDIUM |  | honoured | Name that the broker logs and meters this client by.
connections.max.idle.ms | LONG | 300000 |  | MEDIUM |  | honoured | A connection that is silent for this long is closed.
default.api.timeout.ms | INT | 60000 | [0,...] | MEDIUM |  | honoured | Time limit of calls that name none.
metric.reporters | LIST |  |  | LOW |  | accepted: there is no Java code to load or tune | Classes that metrics are reported through.
receive.buffer.bytes | INT | 65536 | [-1,...] | MEDIUM |  | accepted: the system sizes its buffers itself | SO_RCVBUF; -1: the system's.
retries | INT | 2147483647 | [0,...,2147483647] | LOW |  | accepted: calls are tried again until default.api.timeout.ms is over | How often a failed request is sent again.
"""
