"""`ottla load`: topics to tables, each record exactly once.

    load           the driver: plan, tasks, one commit
    load_round     the tasks of one commit
    plan           which offsets, in which tasks (pure)
    task           a range of offsets to Parquet files, in a worker of Spark
    settings       what a load is told, in plain values
    raw_columns    records to rows as they are
    json_columns   JSON to rows
    json_types     what columns JSON needs
    ddl            the columns of JSON as a person writes them
    row_schema     the columns of a table, from settings, table and tasks
    arrow_types    Arrow's types as a table has them
    dead_letters   records that do not fit go to a topic
    partitioning   rows to folders
    file_writer    rows to files of a wanted size
    data_file      a Parquet file of a table
    upsert         the last row of every key, by buckets
    rewriting      files written anew
    compaction     small files joined
    scheduler      Spark, which places tasks and tries them again
    context_start  Spark's start, which can be interrupted
    tables/        Parquet directory, Delta Lake, Iceberg: files and offsets in one commit
    report         what was done
    errors         what can go wrong

docs/load.md is for users, docs/formats/parquet-table.md has the manifest of the Parquet directory.
"""
