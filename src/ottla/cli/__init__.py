"""The `ottla` command. Everything is loaded when it is called, so that `ottla --help` is quick.

    main                 the entry point: names of commands, exit codes
    lazy_group           a group of commands that are imported when they run
    commands/            the commands of `ottla`
    kafka/               Kafka's own tools
    connection           the options that lead to a cluster, and the clients made from them
    profiles             clusters by name, from a file
    output               rows, fields and outcomes as table, JSON or CSV
    error_report         a failure as a sentence or as JSON, and what to do about it
    config_hints         the key that a mistyped one was meant to be
    outage_lines         brokers that are away, as lines on standard error
    confirmation         a question before what cannot be undone
    progress             a progress bar
    interruption         Ctrl-C and SIGTERM end a command alike
    partition_names      `clicks:0,3-5` on the command line
    times                times and durations on the command line
    start_position       where `ottla consume` begins and ends
    uncommitted_records  gives back what was polled and not written
    record_fields        the bytes of a record as fields of JSON
    record_format        the format string of `ottla consume`
    record_input         records read from a stream
    record_sending       a stream of records sent
    offset_reset         where the offsets of a group go when they are reset
    group_lag            how far behind a group is
    perf_load            load for `ottla perf` and for Kafka's perf tools
    load_run             one call of `ottla load`
    one_request          one request to one broker
    segment_reading      the batches of a segment file, sound or not
    zookeeper_client     a ZooKeeper client
    zookeeper_shell      the shell for ZooKeeper

A command parses and prints; what it does is in a module that Kafka's tool of the same purpose uses as well.
"""
