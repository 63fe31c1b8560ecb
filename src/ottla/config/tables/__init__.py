"""The keys as tables, one module per theme, read only when somebody asks for that kind (`ottla.config.keys`).

    general          who this broker is, what it creates, where its data lies
    network          listeners, sockets and what bounds the requests in flight
    log              how a partition's log is written, flushed, kept and compacted
    replication      replicas, the controller and what throttles them
    groups           consumer groups and their committed offsets
    transactions     transactions and the producers' ids
    security         authentication, encryption and authorization
    zookeeper        the connection to ZooKeeper
    ottla            the keys that only Ottla has
    kraft            Kafka's own quorum, which Ottla does not have
    remote_storage   tiered storage, which Ottla does not have
    topic            what a topic may set for itself
    client           what producer, consumer and admin share
    client_security  what they share of TLS and SASL
    producer         what only the producer has
    consumer         what only the consumer has
    admin            what only the admin has
    old_clients      the manual's old producer (3.3) and old consumer (3.2)

A table is a text, because 650 objects at import would cost more than the whole broker may take to start. One row:

    key | TYPE | default | valid values | IMPORTANCE | read-only or dynamic | status [| broker's key of a topic's] | meaning

The default is written as in a properties file; `null` is no value at all, `(required)` has to be given. Valid values
are written as Kafka documents them: `ottla.config.validators` reads them. The status is `honoured`, `mapped to KEY`, or
`accepted: ` and why the key has no effect. Client keys have an empty update mode: a client is configured once.
"""
