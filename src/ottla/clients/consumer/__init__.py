"""The consumer.

    consumer             the synchronous face
    async_consumer       the asynchronous face
    streams              several streams of one group, one thread each
    core                 keeps the group membership, finds positions, hands over data and news
    events               the news that the user must hear before the core goes on
    subscription_state   what the user wants to read: topics, a pattern, partitions
    membership           what the core asks of a membership, whatever the protocol of the group is
    group_member         a member of a classic group
    group_protocol       what the members of a classic group tell each other, as bytes
    assignors            who gets which partitions of a classic group
    positions            where to read on
    position_validation  whether what was read is still in the log
    committer            commits: what the user says, or by itself
    fetcher              fetching ahead
    fetch_state          what is known about one partition that is read
    fetched              the data of one partition from one fetch, decompressed bit by bit
    reader               from data to the user's records, and exactly what the user has got
    record               a record as consumers see it
    arrow_batches        data as Arrow record batches
    consumer_config      the keyword arguments, and the parts that a consumer is made of
    settings             the configuration as numbers, and the rules between keys
    consumer_metrics     what a consumer measures

The way of a record: fetcher -> fetched -> (next_event) -> reader -> the user. Data belongs to the core until
`next_event` hands it over, then to the face alone: so the user's thread decodes without a lock.
"""
