"""The source: `spark.read.format("ottla")` and `spark.readStream.format("ottla")`, topics to rows of a DataFrame.

    source_options   the options, checked as Spark's Kafka source checks them, in its words
    partition_json   `{"topic":{"0":23}}`: offsets as users write them and as Spark's checkpoints hold them
    offset_limits    earliest, latest, offsets or times: where a query begins and ends
    subscription     assign, subscribe, subscribePattern: which partitions that is right now
    offset_reader    the driver's questions to the cluster, tried again as `fetchOffset.*` say
    splitting        ranges of offsets to tasks: balanced over the cores
    admission        how much a micro-batch takes: maxOffsetsPerTrigger, minOffsetsPerTrigger
    batch_ranges     the ranges of one micro-batch, and what is wrong with them
    range_partition  one task: its ranges, read one after the other
    filters          conditions on partition, offset and timestamp that narrow the ranges
    batch_reader     what Spark calls for a batch query
    stream_reader    what Spark calls for a streaming query

The driver plans ranges, a task reads its ranges (`ottla.spark.ranges`). Planning is pure (`splitting`, `admission`,
`filters`); the readers ask the cluster, plan, and tell Spark.
"""
