"""Listeners, sockets and what bounds the requests in flight. The form of the table: `ottla.config.tables`."""

TABLE = """
listeners | STRING | PLAINTEXT://localhost:9092 |  | HIGH | dynamic | honoured | Where this broker listens: NAME://host:port, separated by commas; an empty host is every interface.
advertised.listeners | STRING | null |  | HIGH | dynamic | honoured | The addresses that clients are told, one per listener; unset: the same as listeners.
listener.security.protocol.map | STRING | SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT |  | LOW | dynamic | honoured | Which security protocol each listener name stands for.
inter.broker.listener.name | STRING | null |  | MEDIUM | read-only | honoured | The listener that brokers use among themselves.
security.inter.broker.protocol | STRING | PLAINTEXT | [PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL] | MEDIUM | read-only | honoured | Protocol between brokers, where inter.broker.listener.name is not set.
control.plane.listener.name | STRING | null |  | HIGH | read-only | honoured | A listener of its own for the controller's requests.
early.start.listeners | STRING | null |  | HIGH | read-only | accepted: all listeners open together, when the broker can serve | Listeners that open before authorization is ready.
socket.send.buffer.bytes | INT | 102400 |  | HIGH | read-only | honoured | SO_SNDBUF of accepted connections; -1: the system's.
socket.receive.buffer.bytes | INT | 102400 |  | HIGH | read-only | honoured | SO_RCVBUF of accepted connections; -1: the system's.
socket.request.max.bytes | INT | 104857600 | [1,...] | HIGH | read-only | honoured | Largest request; a larger one closes its connection before anything is allocated.
socket.listen.backlog.size | INT | 50 | [1,...] | MEDIUM | read-only | honoured | Connections that may wait to be accepted.
max.connections | INT | 2147483647 | [0,...] | MEDIUM | dynamic | honoured | Open connections over all listeners.
max.connections.per.ip | INT | 2147483647 | [0,...] | MEDIUM | dynamic | honoured | Open connections from one address.
max.connections.per.ip.overrides | STRING |  |  | MEDIUM | dynamic | honoured | Other limits for some addresses: host:count, separated by commas.
max.connection.creation.rate | INT | 2147483647 | [0,...] | MEDIUM | dynamic | accepted: not yet, comes with quotas | New connections per second.
connections.max.idle.ms | LONG | 600000 |  | MEDIUM | read-only | honoured | A connection that is silent for this long is closed.
connection.failed.authentication.delay.ms | INT | 100 | [0,...] | LOW | read-only | accepted: not yet, comes with TLS and SASL | Delay before a connection that failed to authenticate is closed.
queued.max.requests | INT | 500 | [1,...] | HIGH | read-only | honoured | Requests admitted and not yet handled, over all connections; at the bound reading stops.
queued.max.request.bytes | LONG | 67108864 |  | MEDIUM | read-only | honoured | Bytes of those requests; -1: no bound.
socket.connection.setup.timeout.ms | LONG | 10000 |  | MEDIUM | read-only | honoured | First time limit to connect to another broker.
socket.connection.setup.timeout.max.ms | LONG | 30000 |  | MEDIUM | read-only | accepted: not yet, a connection to a broker is tried again at once | Largest time limit to connect, after repeated failures.
max.incremental.fetch.session.cache.slots | INT | 1000 | [0,...] | MEDIUM | read-only | honoured | Fetch sessions that are kept.
fetch.max.bytes | INT | 57671680 | [1024,...] | MEDIUM | read-only | honoured | Most bytes that one Fetch answers with, whatever is asked.
fetch.purgatory.purge.interval.requests | INT | 1000 |  | MEDIUM | read-only | accepted: a finished request leaves its waiting lists at once | How often finished fetches are purged from the waiting lists.
producer.purgatory.purge.interval.requests | INT | 1000 |  | MEDIUM | read-only | accepted: a finished request leaves its waiting lists at once | How often finished produces are purged from the waiting lists.
delete.records.purgatory.purge.interval.requests | INT | 1 |  | MEDIUM | read-only | accepted: a finished request leaves its waiting lists at once | How often finished record deletions are purged from the waiting lists.
max.request.partition.size.limit | INT | 2000 | [1,...] | MEDIUM | read-only | honoured | Most partitions that one DescribeTopicPartitions answers with.
port | INT | 9092 | [0,...,65535] | HIGH | read-only | mapped to listeners | Port of the only listener, where listeners is not set.
host.name | STRING | null |  | HIGH | read-only | mapped to listeners | Address of the only listener, where listeners is not set.
advertised.host.name | STRING | null |  | HIGH | read-only | mapped to advertised.listeners | Host that clients are told, where advertised.listeners is not set.
advertised.port | INT | null | [0,...,65535] | HIGH | read-only | mapped to advertised.listeners | Port that clients are told, where advertised.listeners is not set.
"""
