"""The consumer.

    interest                what the user wants to read: topics, a pattern, partitions
    core, events            the heart: keeps the group membership, finds positions, hands over data and news
    group, group_protocol   one member of a classic group; what members tell each other
    assignors               who gets which partitions
    positions, committer    where to read on; what was read
    partition_state         what is known about one partition
    fetcher, fetched        fetching ahead; the data of one partition, opened bit by bit
    reader, interceptors    from data to the user, and exactly what the user has got
    arrow_batches           data as Arrow record batches
    streams                 several streams, one thread each
    async_consumer,         the two faces
    consumer

The way of a record: fetcher -> fetched -> (next_event) -> reader -> the user. Data belongs to the core until
`next_event` hands it over, then to the face alone: so the user's thread decodes without a lock.
"""
