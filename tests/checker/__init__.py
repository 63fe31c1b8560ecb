"""Checks a history of operations against what a log promises. `python -m checker HISTORY` prints what is wrong.

A history is JSON lines, one operation each; times are nanoseconds of one machine's monotonic clock.

    {"f": "send", "process": "p0", "key": "t-0", "value": "p0:17", "type": "ok", "offset": 42,
     "invoke": 1, "complete": 2}
    {"f": "poll", "process": "c0", "key": "t-0", "value": "p0:17", "offset": 42}
    {"f": "final", "key": "t-0", "value": "p0:17", "offset": 42}      the log when everything is well again
    {"f": "replica", "process": "broker 1", "key": "t-0", "value": "<checksum of the batch>", "offset": 42}

`type` of a send: ok (acknowledged with acks=all), fail (an error that proves that nothing was written), info (nobody
knows). The rules have the names of the test programme: W are about writes, R about reads, D about replicas.
"""
