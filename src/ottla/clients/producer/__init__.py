"""The producer: records in, acknowledged batches out.

    producer          the synchronous face
    async_producer    the asynchronous face
    appender          send's arguments to a record in an open batch, in the caller's thread
    bulk              many records at once
    arrow_columns     the columns of Arrow data as records
    topics            the queue of each partition, the sticky partition
    accumulator       open and closed batches
    memory            buffer.memory: the room of batches that are not complete
    batch             one batch from open to complete
    record_sources    a batch's records before they are bytes
    futures           what send gives back
    metadata          where records were written
    sender            draining, order, retries, splitting, expiry
    produce_request   the Produce request of some batches, and its response taken apart
    identity          producer id and epochs
    nodes             the brokers that are sent to
    settings          the configuration as numbers, and the rules between keys
    producer_metrics  what a producer measures

The way of a record: `send` -> appender -> open batch -> (linger, or full) -> sender -> Produce -> batch.succeed ->
futures and callbacks. Threads append under one lock; everything from the sender on happens on the loop.
"""
