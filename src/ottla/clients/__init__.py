"""Clients of a Kafka cluster: producer, consumer, admin, and below them what brokers use for their own requests.

    runtime            event loop, clock, timers and sockets, given from outside
    protocol_session   Kafka's protocol without a socket: handshake, versions, headers, correlation
    connection         one connection to one broker on an event loop: futures and time limits
    fetch_session_handler  what a fetch request need not say again, for consumers and followers
    connection_pool    a client's connections, with backoff
    snapshot, cluster  what is known of the cluster; metadata, leaders, coordinators, sending
    configuration      Kafka's config names as keyword arguments
    optional_packages  the error where a package is missing that only some calls need
    outages            brokers and leaders that are away, said in the log
    producer           records in, batches out: accumulator, sender, idempotence
    consumer           positions, fetching, groups, assignors
    admin              topics, configs, groups, offsets, records, reassignments, leaders, log directories
    loop_thread        the synchronous face: one thread with one event loop per client
    open_clients       ends the clients that the program does not close

One asyncio core does the work. `ottla.aio` gives it as it is; `ottla.Producer`, `ottla.Consumer` and `ottla.Admin` run
it in a thread of their own. Nothing here knows of storage or of a broker's insides.
"""
