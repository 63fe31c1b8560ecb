"""`ottla load`: topics to tables, each record exactly once.

    load          plan, tasks, one commit: the driver
    load_round    the tasks of one commit
    plan          which offsets, in which tasks (pure)
    task          a range of offsets to Parquet files, in a worker of Spark
    raw_columns   records to rows as they are
    json_columns  JSON to rows; json_types: what columns it needs; ddl: columns as a person writes them
    row_schema    the columns of a table, from settings, table and tasks
    dead_letters  where records go that do not fit
    partitioning  rows to folders
    file_writer   rows to files of a wanted size
    upsert        the last row of every key, by buckets
    rewriting     files written anew; compaction: small ones joined
    scheduler     Spark, which places tasks and tries them again
    context_start Spark's start, which can be interrupted
    tables/       Parquet directory, Delta Lake, Iceberg: files and offsets in one commit
    report        what was done

docs/load.md is for users, docs/formats/parquet-table.md has the manifest of the Parquet directory.
"""
