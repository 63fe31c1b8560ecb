"""The connection to ZooKeeper. The form of the table: `ottla.config.tables`."""

TABLE = """
zookeeper.connect | STRING | null |  | HIGH | read-only | honoured
    ZooKeeper's host:port list with an optional /chroot; unset: the embedded server runs in this process.
zookeeper.session.timeout.ms | INT | 18000 |  | HIGH | read-only | honoured
    A broker that ZooKeeper did not hear for this long is dead.
zookeeper.connection.timeout.ms | INT | null |  | HIGH | read-only | honoured
    How long to wait for the first connection; unset: the session timeout.
zookeeper.max.in.flight.requests | INT | 10 | [1,...] | HIGH | read-only | accepted
    Requests to ZooKeeper under way at once.
    No effect: up to 128 requests are in flight.
zookeeper.set.acl | BOOLEAN | false |  | HIGH | read-only | honoured
    Whether the znodes that are created are protected.
zookeeper.metadata.migration.enable | BOOLEAN | false |  | HIGH | read-only | accepted
    Whether metadata moves to Kafka's own quorum.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
zookeeper.clientCnxnSocket | STRING | null |  | MEDIUM | read-only | accepted
    Socket class of the client.
    No effect: there is no Java code to load or tune.
zookeeper.ssl.client.enable | BOOLEAN | false |  | MEDIUM | read-only | accepted
    Whether ZooKeeper is spoken to over TLS.
    No effect: not yet, ZooKeeper is spoken to in plain text; true is an error.
zookeeper.ssl.cipher.suites | LIST | null |  | LOW | read-only | accepted
    Cipher suites.
    No effect: not yet, ZooKeeper is spoken to in plain text.
zookeeper.ssl.crl.enable | BOOLEAN | false |  | LOW | read-only | accepted
    Whether revocation lists are checked.
    No effect: not yet, ZooKeeper is spoken to in plain text.
zookeeper.ssl.enabled.protocols | LIST | null |  | LOW | read-only | accepted
    TLS versions.
    No effect: not yet, ZooKeeper is spoken to in plain text.
zookeeper.ssl.endpoint.identification.algorithm | STRING | HTTPS |  | LOW | read-only | accepted
    How the server's name is checked.
    No effect: not yet, ZooKeeper is spoken to in plain text.
zookeeper.ssl.keystore.location | STRING | null |  | MEDIUM | read-only | accepted
    Key store.
    No effect: not yet, ZooKeeper is spoken to in plain text.
zookeeper.ssl.keystore.password | PASSWORD | null |  | MEDIUM | read-only | accepted
    Its password.
    No effect: not yet, ZooKeeper is spoken to in plain text.
zookeeper.ssl.keystore.type | STRING | null |  | MEDIUM | read-only | accepted
    Its type.
    No effect: not yet, ZooKeeper is spoken to in plain text.
zookeeper.ssl.ocsp.enable | BOOLEAN | false |  | LOW | read-only | accepted
    Whether OCSP is asked.
    No effect: not yet, ZooKeeper is spoken to in plain text.
zookeeper.ssl.protocol | STRING | TLSv1.2 |  | LOW | read-only | accepted
    TLS version that is offered.
    No effect: not yet, ZooKeeper is spoken to in plain text.
zookeeper.ssl.truststore.location | STRING | null |  | MEDIUM | read-only | accepted
    Trust store.
    No effect: not yet, ZooKeeper is spoken to in plain text.
zookeeper.ssl.truststore.password | PASSWORD | null |  | MEDIUM | read-only | accepted
    Its password.
    No effect: not yet, ZooKeeper is spoken to in plain text.
zookeeper.ssl.truststore.type | STRING | null |  | MEDIUM | read-only | accepted
    Its type.
    No effect: not yet, ZooKeeper is spoken to in plain text.
zookeeper.sync.time.ms | INT | 2000 | [0,...] | LOW | read-only | accepted
    How far a ZooKeeper follower may be behind.
    No effect: reads that must be current are preceded by a sync.
"""
