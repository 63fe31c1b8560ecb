"""The producer: records in, acknowledged batches out.

    appender             send's arguments to a record in an open batch, in the caller's thread
    bulk, arrow_columns  many records as columns
    topics               the queue of each partition, the sticky partition
    accumulator, memory  open and closed batches, buffer.memory
    batch                one batch from open to complete; record_sources: its records before they are bytes
    futures, metadata    what send gives back
    sender               draining, order, retries, splitting, expiry
    identity, nodes      producer id and epochs; the brokers that are sent to
    settings             the configuration as numbers, and the rules between keys
    async_producer,      the two faces
    producer

The way of a record: `send` -> appender -> open batch -> (linger, or full) -> sender -> Produce -> batch.succeed ->
futures and callbacks. Threads append under one lock; everything from the sender on happens on the loop.
"""
