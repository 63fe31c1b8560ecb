"""Clients of a Kafka cluster: producer, consumer, admin, and below them what brokers use for their own requests.

    producer               records in, batches out: accumulator, sender, idempotence
    consumer               positions, fetching, groups, assignors
    admin                  topics, configs, groups, offsets, records, reassignments, leaders, log directories
    loop_thread            the synchronous face: one thread with one event loop per client
    open_clients           ends the clients that the program does not close

    configuration          Kafka's config names as keyword arguments
    settings               the configuration of a client's connections as numbers
    serializers            keys and values as bytes, and back
    interceptors           the user's objects that see every record
    metrics                what clients measure, under Kafka's names
    optional_packages      the error where a package is missing that only some calls need

    cluster                what a client knows of the cluster and how it sends to each broker
    snapshot               the brokers, topics and leaders of one moment
    coordinator_lookup     which broker coordinates a group or a transactional id
    offset_lookup          offsets by time: ListOffsets
    group_offsets          what groups have committed: OffsetFetch and OffsetCommit
    fetch_session_handler  what a fetch request need not say again, for consumers and followers
    by_topic               partitions grouped by topic
    outages                brokers and leaders that are away, said in the log

    connection_pool        a client's connections, with backoff
    connection             one connection to one broker on an event loop: futures and time limits
    protocol_session       Kafka's protocol without a socket: handshake, versions, headers, correlation
    api_versions           which version of an API both sides speak
    runtime                event loop, clock, timers and sockets, given from outside
    addresses              host and port, as in bootstrap.servers
    retry                  backoff, and attempts that are repeated until the time is over
    errors                 what a client raises besides the errors in a broker's responses

One asyncio core does the work. `ottla.aio` gives it as it is; `ottla.Producer`, `ottla.Consumer` and `ottla.Admin` run
it in a thread of their own. Nothing here knows of storage or of a broker's insides.
"""
