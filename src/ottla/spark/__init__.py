"""The data pipeline on Spark, without jars: `format("ottla")` to read and write, `ottla load` for tables.

    data_source       the Python Data Source that Spark finds by the name `ottla` (through the package `pyspark_ottla`)
    options           the options of a job, and what of them is for the client (`kafka.*`)
    schema            the columns, as Spark and as Arrow name them
    source/           reading: batch and stream, splitting, admission control
    sink/             writing
    loader/           topics to tables
    offsets           what partitions there are and where they begin and end: what the driver asks
    ranges            the records of one range of offsets as Arrow batches: what a task of Spark does
    range_fetcher     fetches one range of offsets of one partition
    leader_links      the links of a task to the leaders of partitions
    broker_link       a blocking connection to one broker, for tasks
    record_batches    decoded columns as Arrow record batches
    plain_columns     the quick way there for records without headers
    java              the Java that Spark runs on
    interpreter       the Python that Spark starts
    executor_package  Ottla for executors that do not have it
    errors            what can go wrong in a job, in the words of Spark's Kafka source

Only `clients` and what lies below is used: all of it works with Apache Kafka as well. Tasks run in Python workers that
Spark forks, so nothing here starts a thread, loop or socket when it is imported, and what is sent to tasks can be
pickled.
"""
