"""Step 5 of the path: partitions between the handlers and the log.

partition                one replica of one partition: leader epoch, in-sync replicas, high watermark, who waits on it
leadership               what a leader knows of its followers, and its proposals of in-sync replicas
follower_progress        how far one follower has fetched, and when it was caught up
replica_manager          all partitions of this broker, by name and by id; what the controller says about them
replica_context          what all partitions of a broker share
replica_selector         which replica a consumer had better read from (KIP-392)
fetch_reader             reads partitions in order within the limits of a Fetch response
fetch_session            what a fetcher fetches, remembered between its requests (KIP-227)
fetch_session_cache      the fetch sessions of this broker, and who gives way when there are too many
deferred_append          appends whose records are decompressed in a thread first
delayed_produce          what was appended and waits for its replicas and for the disk
purgatory                requests that wait: a watcher per request, one timer each, woken once per loop turn
failed_request_metrics   what is counted when a partition refuses a request
alter_partition_manager  changes of the in-sync replicas, sent to the controller
peers                    how a broker reaches the others
fetcher                  copies partitions from one leader
fetcher_manager          the fetchers of this broker, one or more for each leader
followed_partition       one partition of a fetcher: where it goes on, and what it does when histories differ

What a request calls here does not suspend, so what was checked on entry still holds on return.
"""
