"""Clients of a Kafka cluster: producer, consumer, admin, and below them what brokers use for their own requests.

    runtime             event loop, clock, timers and sockets, given from outside
    connection          one connection to one broker: version negotiation, requests in flight, time limits
    connection_pool     a client's connections, with backoff
    backoff             how long to wait before something is tried again
    snapshot            what a client knows of the cluster
    cluster             the cluster as a client uses it
    configuration       Kafka's config names as keyword arguments
    optional_packages   the error where a package is missing that only some calls need
    outages             brokers and leaders that are away, said in the log
    producer/           records in, batches out: accumulator, sender, idempotence
    consumer/           positions, fetching, groups, assignors
    admin/              topics, configs, groups, offsets, records, reassignments, leaders, log directories
    loop_thread         the synchronous face: one thread with one event loop per client
    open_clients        ends the clients that the program does not close
    addresses           where brokers are
    api_versions        which version of an API both sides speak (KIP-35, KIP-511)
    by_topic            partitions grouped by topic, as most requests want them
    coordinator_lookup  which broker coordinates a group or a transactional id
    errors              what a client raises besides the errors that a broker answers with (`ottla.errors.kafka`)
    group_offsets       what groups have committed
    metrics             metrics of clients
    offset_lookup       offsets by time
    retry               trying again
    serializers         how keys and values become bytes and back
    settings            from a client's configuration to the settings of its connections

One asyncio core does the work. `ottla.aio` gives it as it is; `ottla.Producer`, `ottla.Consumer` and `ottla.Admin` run
it in a thread of their own. Nothing here knows of storage or of a broker's insides.
"""
