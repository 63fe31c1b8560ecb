"""The sink: `df.write.format("ottla")` and `df.writeStream.format("ottla")`, rows of a DataFrame to topics.

    columns      which columns a row must have, with Spark's own words for those that do not fit
    options      the topic, and `kafka.*` for the producer
    task_writer  one task: Arrow batches in, every record acknowledged, or the task fails
    writers      what Spark calls: on the driver, and pickled in each task

The way of a row: JVM -> Arrow batch -> task_writer -> `Producer.send_arrow`, which reads keys and values in place.

At least once. A task is done when every one of its records is acknowledged by all in-sync replicas; a task that fails,
is run twice (speculation) or is repeated after the driver was killed writes its records again. Within one attempt the
producer is idempotent: what it retries itself is written once, in order. There is nothing to commit, nothing to undo.
"""
