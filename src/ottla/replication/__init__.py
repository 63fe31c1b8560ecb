"""Step 5 of the path: partitions between the handlers and the log.

    partition         one replica of one partition: leader epoch, in-sync replicas, high watermark, who waits on it
    replica_manager   all partitions of this broker, by name and by id; what the controller says about them
    appending         Produce: many partitions in, results or a wait out
    fetching          Fetch: reads within byte limits, in order, with epoch checks
    fetch_session     what a consumer fetches, remembered between its requests (KIP-227)
    purgatory         requests that wait: a watcher per request, one timer each, woken once per loop turn

Everything here runs on the event loop and never suspends, so what was checked on entry still holds on exit.
"""
