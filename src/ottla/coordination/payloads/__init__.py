"""The payloads of znodes as values. `paths` shows an example of each.

    topics      `/brokers/topics/T` and `.../partitions/P/state`
    brokers     `/brokers/ids/N`
    cluster     what the cluster has one of: its id, its controller, its features
    configs     `/config/<entity>` and the notices of changes
    acls        `/kafka-acl*`
    admin       what is asked of the controller by writing a znode
    consumers   `/consumers/G`: the old consumers
    document    a JSON object, read with its path at hand

Every payload is a NamedTuple with `encode() -> bytes` and a classmethod `decode(path, data)`; a few with one bare value
are a pair of functions. Encoding gives the newest version in the key order in which Kafka 3.9 writes it; decoding
takes every older version, fills in what is missing as Kafka does, and ignores what it does not know. Bytes that cannot
be understood raise a PayloadError that names the path.
"""
