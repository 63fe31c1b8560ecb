"""The payloads of znodes as values. One module per theme; `paths` shows an example of each.

    acls       `/kafka-acl*`
    admin      what tools and brokers ask of the controller by writing a znode
    brokers    `/brokers/ids/N`
    cluster    what the cluster has one of
    configs    `/config/<entity>`
    consumers  `/consumers/G/...`
    document   A JSON object from a znode, read with its path at hand, so that every complaint says where
    topics     `/brokers/topics/T`, which replicas a topic has, and `.../partitions/P/state`

Every payload is a NamedTuple with `encode() -> bytes` and a classmethod `decode(path, data)`; a few with one bare value
are a pair of functions. Encoding gives the newest version in the key order in which Kafka 3.9 writes it; decoding
takes every older version, fills in what is missing as Kafka does, and ignores what it does not know. Bytes that cannot
be understood raise a PayloadError that names the path.
"""
