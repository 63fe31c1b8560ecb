"""The consumer.

    core                 the consumer's heart, on the loop
    events               what a consumer's core has for its face
    group                one member of a classic group
    positions            finds where to read on
    group_protocol       what members of a group tell each other, as bytes
    assignors/           who gets which partitions
    committer            commits
    partition_state      what is known about one partition
    fetcher              fetches ahead
    fetched              the data of one partition from one fetch, opened bit by bit as the user takes records
    reader               between fetched data and the user
    interceptors         objects that see what a consumer reads
    arrow_batches        data as Arrow record batches
    record               a record as consumers see it
    streams              several streams, one thread each
    async_consumer       the consumer on asyncio
    consumer             the consumer, synchronous
    arrow_arrays         what the kernels laid out as Arrow does, wrapped as Arrow arrays
    consumer_config      Kafka's consumer configuration as typed keyword arguments
    consumer_metrics     what the consumer measures, by Kafka's names
    fetch_session        the consumer's half of a fetch session (KIP-227)
    position_validation  whether what was read is still in the log (KIP-320)
    settings             the consumer's configuration as the values that its parts use
    subscription_state   what the user wants to read

The way of a record: fetcher -> fetched -> (next_event) -> reader -> the user. Data belongs to the core until
`next_event` hands it over, then to the face alone: so the user's thread decodes without a lock.
"""
