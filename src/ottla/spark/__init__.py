"""The data pipeline on Spark, without jars: `format("ottla")` to read and write, `ottla load` for tables.

    data_source     the Python Data Source that Spark finds by the name `ottla` (through the package `pyspark_ottla`)
    options         the options of a job, and what of them is for the client (`kafka.*`)
    schema          the columns, as Spark and as Arrow name them
    source/         reading: batch and stream, splitting, admission control
    sink/           writing
    loader/         topics to tables
    ranges          the records of one range of offsets as Arrow batches: what a task of Spark does
    offsets         what partitions there are and where they begin and end: what the driver asks
    range_fetcher, leader_links, record_batches, plain_columns
                    how a range is fetched, from whom, and how it becomes Arrow
    java, interpreter
                    the Java and the Python that Spark starts
    executor_package
                    Ottla for executors that do not have it
    broker_link     a blocking connection to one broker, for tasks

Only `clients` and what lies below is used: all of it works with Apache Kafka as well. Tasks run in Python workers that
Spark forks, so nothing here starts a thread, loop or socket when it is imported, and what is sent to tasks can be
pickled.
"""
