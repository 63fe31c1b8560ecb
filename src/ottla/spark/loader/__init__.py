"""`ottla load`: topics to tables, each record exactly once.

    load          plan, tasks, one commit: the driver
    plan          which offsets, in which tasks (pure)
    task          a range of offsets to Parquet files, in a worker of Spark
    raw_columns   records to rows as they are
    partitioning  rows to folders
    file_writer   rows to files of a wanted size
    scheduler     Spark, which places tasks and tries them again
    tables/       Parquet directory, Delta Lake, Iceberg: files and offsets in one commit
    report        what was done

docs/load.md is for users, docs/formats/parquet-table.md has the manifest of the Parquet directory.
"""
