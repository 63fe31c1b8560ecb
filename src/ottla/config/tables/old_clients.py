"""The manual's old producer (3.3) and old consumer (3.2). The form of the table: `ottla.config.tables`."""

PRODUCER = """
metadata.broker.list | LIST |  |  | HIGH |  | mapped to bootstrap.servers | Some brokers as host:port, from which the others are found.
request.required.acks | STRING | 0 |  | HIGH |  | mapped to acks | Acknowledgements to wait for: 0 none, 1 the leader's, -1 those in sync.
request.timeout.ms | INT | 10000 |  | HIGH |  | mapped to request.timeout.ms | How long the broker may take to gather them.
producer.type | STRING | sync | [sync, async] | HIGH |  | accepted: not yet, comes with the old producer | Whether records are sent one by one or in the background.
serializer.class | CLASS | kafka.serializer.DefaultEncoder |  | HIGH |  | mapped to value.serializer | How a value becomes bytes.
key.serializer.class | CLASS |  |  | HIGH |  | mapped to key.serializer | How a key becomes bytes; unset: as a value does.
partitioner.class | CLASS | kafka.producer.DefaultPartitioner |  | MEDIUM |  | mapped to partitioner.class | What chooses a record's partition.
compression.codec | STRING | none | [none, gzip, snappy] | MEDIUM |  | mapped to compression.type | Codec of what is sent.
compressed.topics | LIST | null |  | MEDIUM |  | accepted: not yet, comes with the old producer | Topics that are compressed; none: all.
message.send.max.retries | INT | 3 |  | MEDIUM |  | mapped to retries | How often a failed request is sent again.
retry.backoff.ms | INT | 100 |  | MEDIUM |  | mapped to retry.backoff.ms | Pause before that.
topic.metadata.refresh.interval.ms | INT | 600000 |  | MEDIUM |  | mapped to metadata.max.age.ms | Metadata is asked for again after this long.
queue.buffering.max.ms | INT | 5000 |  | MEDIUM |  | mapped to linger.ms | How long a batch waits for more records.
queue.buffering.max.messages | INT | 10000 |  | MEDIUM |  | accepted: not yet, comes with the old producer | Records that may wait to be sent.
queue.enqueue.timeout.ms | INT | -1 |  | MEDIUM |  | mapped to max.block.ms | How long send may wait when so many do; -1: for ever.
batch.num.messages | INT | 200 |  | MEDIUM |  | accepted: not yet, comes with the old producer | Records of one batch.
send.buffer.bytes | INT | 102400 |  | LOW |  | mapped to send.buffer.bytes | SO_SNDBUF.
client.id | STRING |  |  | LOW |  | mapped to client.id | Name that the broker logs and meters this client by.
"""

CONSUMER = """
group.id | STRING |  |  | HIGH |  | mapped to group.id | The consumer's group.
zookeeper.connect | STRING |  |  | HIGH |  | accepted: not yet, comes with the old consumer | ZooKeeper's host:port list with an optional /chroot.
consumer.id | STRING | null |  | LOW |  | accepted: not yet, comes with the old consumer | Id within the group; unset: generated.
socket.timeout.ms | INT | 30000 |  | LOW |  | mapped to request.timeout.ms | Time limit of requests.
socket.receive.buffer.bytes | INT | 65536 |  | LOW |  | mapped to receive.buffer.bytes | SO_RCVBUF.
fetch.message.max.bytes | INT | 1048576 |  | MEDIUM |  | mapped to max.partition.fetch.bytes | Bytes to ask for per partition.
num.consumer.fetchers | INT | 1 |  | LOW |  | accepted: not yet, comes with the old consumer | Threads that fetch.
auto.commit.enable | BOOLEAN | true |  | MEDIUM |  | mapped to enable.auto.commit | Whether offsets are committed by themselves.
auto.commit.interval.ms | INT | 60000 |  | MEDIUM |  | mapped to auto.commit.interval.ms | How often.
queued.max.message.chunks | INT | 2 |  | LOW |  | accepted: not yet, comes with the old consumer | Fetched chunks that may wait per stream.
rebalance.max.retries | INT | 4 |  | MEDIUM |  | accepted: not yet, comes with the old consumer | How often a rebalance is tried.
fetch.min.bytes | INT | 1 |  | MEDIUM |  | mapped to fetch.min.bytes | Bytes that a fetch waits for.
fetch.wait.max.ms | INT | 100 |  | MEDIUM |  | mapped to fetch.max.wait.ms | How long it waits for them.
rebalance.backoff.ms | INT | 2000 |  | MEDIUM |  | accepted: not yet, comes with the old consumer | Pause between the tries of a rebalance.
refresh.leader.backoff.ms | INT | 200 |  | LOW |  | mapped to retry.backoff.ms | Pause before a partition's leader is looked for again.
auto.offset.reset | STRING | largest |  | MEDIUM |  | mapped to auto.offset.reset | Where to begin without a valid offset: smallest, largest, anything else is an error.
consumer.timeout.ms | INT | -1 |  | MEDIUM |  | accepted: not yet, comes with the old consumer | A stream without a message for this long ends with an error; -1: never.
exclude.internal.topics | BOOLEAN | true |  | LOW |  | mapped to exclude.internal.topics | Whether a filter leaves internal topics out.
partition.assignment.strategy | STRING | range | [range, roundrobin] | MEDIUM |  | mapped to partition.assignment.strategy | How partitions are given to streams.
client.id | STRING | null |  | LOW |  | mapped to client.id | Name that the broker logs and meters this client by; unset: the group's.
zookeeper.session.timeout.ms | INT | 6000 |  | MEDIUM |  | accepted: not yet, comes with the old consumer | A consumer that ZooKeeper did not hear for this long is dead.
zookeeper.connection.timeout.ms | INT | 6000 |  | MEDIUM |  | accepted: not yet, comes with the old consumer | How long to wait for the first connection.
zookeeper.sync.time.ms | INT | 2000 |  | LOW |  | accepted: not yet, comes with the old consumer | How far a ZooKeeper follower may be behind.
offsets.storage | STRING | zookeeper | [zookeeper, kafka] | MEDIUM |  | accepted: not yet, comes with the old consumer | Where offsets are kept.
offsets.channel.backoff.ms | INT | 1000 |  | LOW |  | accepted: not yet, comes with the old consumer | Pause before the offsets' broker is tried again.
offsets.channel.socket.timeout.ms | INT | 10000 |  | LOW |  | accepted: not yet, comes with the old consumer | Time limit of requests to it.
offsets.commit.max.retries | INT | 5 |  | LOW |  | accepted: not yet, comes with the old consumer | How often a commit is tried at the end.
dual.commit.enabled | BOOLEAN | true |  | LOW |  | accepted: not yet, comes with the old consumer | Whether offsets kept in Kafka are written to ZooKeeper too.
"""
