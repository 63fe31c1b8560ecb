"""The connection to ZooKeeper. The form of the table: `ottla.config.tables`."""

TABLE = """
zookeeper.connect | STRING | null |  | HIGH | read-only | honoured | ZooKeeper's host:port list with an optional /chroot; unset: the embedded server runs in this process.
zookeeper.session.timeout.ms | INT | 18000 |  | HIGH | read-only | honoured | A broker that ZooKeeper did not hear for this long is dead.
zookeeper.connection.timeout.ms | INT | null |  | HIGH | read-only | honoured | How long to wait for the first connection; unset: the session timeout.
zookeeper.max.in.flight.requests | INT | 10 | [1,...] | HIGH | read-only | accepted: up to 128 requests are in flight | Requests to ZooKeeper under way at once.
zookeeper.set.acl | BOOLEAN | false |  | HIGH | read-only | honoured | Whether the znodes that are created are protected.
zookeeper.metadata.migration.enable | BOOLEAN | false |  | HIGH | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Whether metadata moves to Kafka's own quorum.
zookeeper.clientCnxnSocket | STRING | null |  | MEDIUM | read-only | accepted: there is no Java code to load or tune | Socket class of the client.
zookeeper.ssl.client.enable | BOOLEAN | false |  | MEDIUM | read-only | accepted: not yet, ZooKeeper is spoken to in plain text; true is an error | Whether ZooKeeper is spoken to over TLS.
zookeeper.ssl.cipher.suites | LIST | null |  | LOW | read-only | accepted: not yet, ZooKeeper is spoken to in plain text | Cipher suites.
zookeeper.ssl.crl.enable | BOOLEAN | false |  | LOW | read-only | accepted: not yet, ZooKeeper is spoken to in plain text | Whether revocation lists are checked.
zookeeper.ssl.enabled.protocols | LIST | null |  | LOW | read-only | accepted: not yet, ZooKeeper is spoken to in plain text | TLS versions.
zookeeper.ssl.endpoint.identification.algorithm | STRING | HTTPS |  | LOW | read-only | accepted: not yet, ZooKeeper is spoken to in plain text | How the server's name is checked.
zookeeper.ssl.keystore.location | STRING | null |  | MEDIUM | read-only | accepted: not yet, ZooKeeper is spoken to in plain text | Key store.
zookeeper.ssl.keystore.password | PASSWORD | null |  | MEDIUM | read-only | accepted: not yet, ZooKeeper is spoken to in plain text | Its password.
zookeeper.ssl.keystore.type | STRING | null |  | MEDIUM | read-only | accepted: not yet, ZooKeeper is spoken to in plain text | Its type.
zookeeper.ssl.ocsp.enable | BOOLEAN | false |  | LOW | read-only | accepted: not yet, ZooKeeper is spoken to in plain text | Whether OCSP is asked.
zookeeper.ssl.protocol | STRING | TLSv1.2 |  | LOW | read-only | accepted: not yet, ZooKeeper is spoken to in plain text | TLS version that is offered.
zookeeper.ssl.truststore.location | STRING | null |  | MEDIUM | read-only | accepted: not yet, ZooKeeper is spoken to in plain text | Trust store.
zookeeper.ssl.truststore.password | PASSWORD | null |  | MEDIUM | read-only | accepted: not yet, ZooKeeper is spoken to in plain text | Its password.
zookeeper.ssl.truststore.type | STRING | null |  | MEDIUM | read-only | accepted: not yet, ZooKeeper is spoken to in plain text | Its type.
zookeeper.sync.time.ms | INT | 2000 | [0,...] | LOW | read-only | accepted: reads that must be current are preceded by a sync | How far a ZooKeeper follower may be behind.
"""
