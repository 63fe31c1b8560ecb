"""What every coordinator stands on: it owns partitions of an internal topic, and each of them has a shard.

    runtime           runs the steps of a shard: appends, responses, timers; partitions that are won and lost
    shard             what the runtime needs of a shard
    step              one request or event in a shard: what has to be done when it is over
    owned_partition   a partition that this broker leads, with its shard and timers
    partition_loader  reads won partitions, in slices, and tries again what cannot be read for the moment
    loading           the last record of each key of a partition, and transactions, replayed into a shard
    coordinator_log   what the runtime needs of the log; a step's records as a batch
    replicated_log    the log of a real broker: an internal topic on its replicas
    append_errors     what an error of the log means to the client of a coordinator
    waiter            a response that is not there yet

A request becomes a step. The shard checks it and says what to append; the runtime appends the records of each append as
one batch, and completes the append once: when every in-sync replica has the batch, or with the error for which that is
not certain. What a client is told depends on nothing that a next coordinator, reading the same log, would not know.

A shard changes at one of two moments. Either when its records are replicated, in the completion of the append, as
commits of offsets and assignments of classic groups do; or when they stand in the local log (`replays=True`): then
later steps see the change at once, and only the response waits. An append that is refused changes nothing either way. A
response that shows what may not be replicated yet waits behind an append without records.
"""
