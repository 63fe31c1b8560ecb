"""The producer: records in, acknowledged batches out.

    appender          send's arguments to a record in an open batch, in the caller's thread
    batch             one batch from open to complete; record_sources: its records before they are bytes
    bulk              `send_many` and `send_arrow`
    arrow_columns     Arrow's columns as the buffers that the kernels take
    topics            the queue of each partition, the sticky partition
    accumulator       records on their way in
    memory            the bound on records that wait
    record_sources    the records of a batch before they are bytes
    futures           what `send` gives back
    metadata          what comes back when records were written
    sender            draining, order, retries, splitting, expiry
    identity          the producer's id and epoch (idempotence, KIP-98 and KIP-360)
    nodes             the brokers that a producer sends to
    producer          the producer, synchronous
    settings          the configuration as numbers, and the rules between keys
    async_producer    the producer on asyncio, and what both faces share
    interceptors      objects that see every record
    produce_request   the Produce request of some batches, and its answer taken apart
    producer_metrics  what the producer measures, by the names of Kafka's documentation

The way of a record: `send` -> appender -> open batch -> (linger, or full) -> sender -> Produce -> batch.succeed ->
futures and callbacks. Threads append under one lock; everything from the sender on happens on the loop.
"""
