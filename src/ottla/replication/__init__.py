"""Step 5 of the path: partitions between the handlers and the log.

    partition                one replica of one partition: leader epoch, in-sync replicas, high watermark, who waits
    replica_manager          all partitions of this broker, by name and by id; what the controller says about them
    fetch_session            what a consumer fetches, remembered between its requests (KIP-227)
    purgatory                requests that wait: a watcher per request, one timer each, woken once per loop turn
    alter_partition_manager  ISR proposals on their way to the controller (AlterPartition, KIP-497)
    deferred_append          appends whose records must be opened first, which would stall the loop
    delayed_produce          a produce that was appended and waits before it is acknowledged
    failed_request_metrics   what is counted when a partition refuses what a producer sent or a consumer asked for
    fetch_session_cache      the fetch sessions of this broker
    fetcher                  one fetcher
    fetcher_manager          which fetcher keeps which partition
    followed_partition       one followed partition
    follower_progress        how far one follower has come, as its leader sees it
    leadership               what a leader knows in one epoch
    peers                    requests to other brokers, over the same connections that clients use
    replica_context          what all partitions of a broker share
    replica_selector         which replica a consumer should read from (KIP-392)
    fetch_reader             reads from many partitions within the limits of one Fetch response, in the order of the

Everything here runs on the event loop and never suspends, so what was checked on entry still holds on exit.
"""
