"""What producer, consumer and admin share: connections, metadata, metrics.

The form of the table: `ottla.config.tables`.
"""

TABLE = """
auto.include.jmx.reporter | BOOLEAN | true |  | LOW |  | accepted: metrics are exported to Prometheus; there is no JMX | Whether metrics are reported through JMX unasked.
client.dns.lookup | STRING | use_all_dns_ips | [use_all_dns_ips, resolve_canonical_bootstrap_servers_only] | MEDIUM |  | accepted: every address of a name is always tried | Whether every address of a name is tried.
enable.metrics.push | BOOLEAN | true |  | LOW |  | accepted: not yet, no client metrics are pushed | Whether the client's metrics go to the broker where it asks for them.
metadata.max.age.ms | LONG | 300000 | [0,...] | LOW |  | honoured | Metadata is asked for again after this long.
metadata.recovery.strategy | STRING | none | (case insensitive) [REBOOTSTRAP, NONE] | LOW |  | accepted: bootstrap.servers are always tried when no known broker answers | What to do when no known broker answers: give up, or begin again from bootstrap.servers.
metrics.num.samples | INT | 2 | [1,...] | LOW |  | honoured | Samples that a rate is computed from.
metrics.recording.level | STRING | INFO | [INFO, DEBUG, TRACE] | LOW |  | accepted: all metrics are always recorded | Which metrics are recorded at all.
metrics.sample.window.ms | LONG | 30000 | [0,...] | LOW |  | honoured | Length of one sample of a rate.
reconnect.backoff.max.ms | LONG | 1000 | [0,...] | LOW |  | honoured | Longest pause before a broker is connected to again.
reconnect.backoff.ms | LONG | 50 | [0,...] | LOW |  | honoured | First pause before a broker is connected to again.
request.timeout.ms | INT | 30000 | [0,...] | MEDIUM |  | honoured | How long a request may wait for its answer.
retry.backoff.max.ms | LONG | 1000 | [0,...] | LOW |  | honoured | Longest pause before a request is sent again.
retry.backoff.ms | LONG | 100 | [0,...] | LOW |  | honoured | First pause before a request is sent again.
send.buffer.bytes | INT | 131072 | [-1,...] | MEDIUM |  | accepted: the system sizes its buffers itself | SO_SNDBUF; -1: the system's.
socket.connection.setup.timeout.max.ms | LONG | 30000 |  | MEDIUM |  | accepted: the first time limit holds for every attempt | Largest time limit to connect, after repeated failures.
socket.connection.setup.timeout.ms | LONG | 10000 |  | MEDIUM |  | honoured | First time limit to connect.
"""
