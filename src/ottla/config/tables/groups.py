"""Consumer groups and their committed offsets. The form of the table: `ottla.config.tables`."""

TABLE = """
group.initial.rebalance.delay.ms | INT | 3000 |  | MEDIUM | read-only | honoured | How long an empty group waits for more members before its first assignment.
group.min.session.timeout.ms | INT | 6000 |  | MEDIUM | read-only | honoured | Smallest session timeout that a member may ask for.
group.max.session.timeout.ms | INT | 1800000 |  | MEDIUM | read-only | honoured | Largest session timeout that a member may ask for.
group.max.size | INT | 2147483647 | [1,...] | MEDIUM | read-only | honoured | Most members of a group.
group.coordinator.rebalance.protocols | LIST | classic | [consumer, classic, share, unknown] | MEDIUM | read-only | accepted: not yet, comes with the newer group protocol | Group protocols that are served.
group.coordinator.threads | INT | 1 | [1,...] | MEDIUM | read-only | accepted: one event loop does this work; there is no pool of threads | Threads of the newer group coordinator.
group.coordinator.append.linger.ms | INT | 10 | [0,...] | MEDIUM | read-only | accepted: not yet, comes with the newer group protocol | How long the newer coordinator gathers records before it appends.
group.consumer.assignors | LIST | org.apache.kafka.coordinator.group.assignor.UniformAssignor,org.apache.kafka.coordinator.group.assignor.RangeAssignor |  | MEDIUM | read-only | accepted: not yet, comes with the newer group protocol | Assignors of the server, the first being the default.
group.consumer.heartbeat.interval.ms | INT | 5000 | [1,...] | MEDIUM | read-only | accepted: not yet, comes with the newer group protocol | Heartbeat interval that members are given.
group.consumer.max.heartbeat.interval.ms | INT | 15000 | [1,...] | MEDIUM | read-only | accepted: not yet, comes with the newer group protocol | Largest such interval.
group.consumer.min.heartbeat.interval.ms | INT | 5000 | [1,...] | MEDIUM | read-only | accepted: not yet, comes with the newer group protocol | Smallest such interval.
group.consumer.session.timeout.ms | INT | 45000 | [1,...] | MEDIUM | read-only | accepted: not yet, comes with the newer group protocol | Session timeout that members are given.
group.consumer.max.session.timeout.ms | INT | 60000 | [1,...] | MEDIUM | read-only | accepted: not yet, comes with the newer group protocol | Largest such timeout.
group.consumer.min.session.timeout.ms | INT | 45000 | [1,...] | MEDIUM | read-only | accepted: not yet, comes with the newer group protocol | Smallest such timeout.
group.consumer.max.size | INT | 2147483647 | [1,...] | MEDIUM | read-only | accepted: not yet, comes with the newer group protocol | Most members of a group of the newer protocol.
group.share.delivery.count.limit | INT | 5 | [2,...,10] | MEDIUM | read-only | accepted: there are no share groups | How often a record is delivered before it is given up.
group.share.heartbeat.interval.ms | INT | 5000 | [1,...] | MEDIUM | read-only | accepted: there are no share groups | Heartbeat interval that members are given.
group.share.max.groups | SHORT | 10 | [1,...,100] | MEDIUM | read-only | accepted: there are no share groups | Most share groups.
group.share.max.heartbeat.interval.ms | INT | 15000 | [1,...] | MEDIUM | read-only | accepted: there are no share groups | Largest heartbeat interval.
group.share.max.record.lock.duration.ms | INT | 60000 | [30000,...,3600000] | MEDIUM | read-only | accepted: there are no share groups | Longest lock on a record.
group.share.max.session.timeout.ms | INT | 60000 | [1,...] | MEDIUM | read-only | accepted: there are no share groups | Largest session timeout.
group.share.max.size | SHORT | 200 | [10,...,1000] | MEDIUM | read-only | accepted: there are no share groups | Most members of a share group.
group.share.min.heartbeat.interval.ms | INT | 5000 | [1,...] | MEDIUM | read-only | accepted: there are no share groups | Smallest heartbeat interval.
group.share.min.record.lock.duration.ms | INT | 15000 | [1000,...,30000] | MEDIUM | read-only | accepted: there are no share groups | Shortest lock on a record.
group.share.min.session.timeout.ms | INT | 45000 | [1,...] | MEDIUM | read-only | accepted: there are no share groups | Smallest session timeout.
group.share.partition.max.record.locks | INT | 200 | [100,...,10000] | MEDIUM | read-only | accepted: there are no share groups | Most locked records of a partition.
group.share.record.lock.duration.ms | INT | 30000 | [1000,...,60000] | MEDIUM | read-only | accepted: there are no share groups | How long a fetched record is locked.
group.share.session.timeout.ms | INT | 45000 | [1,...] | MEDIUM | read-only | accepted: there are no share groups | Session timeout that members are given.
offset.metadata.max.bytes | INT | 4096 |  | HIGH | read-only | honoured | Longest text that a client may keep with a committed offset.
offsets.commit.required.acks | SHORT | -1 |  | HIGH | read-only | accepted: a commit is answered when all in-sync replicas have it, as Kafka advises | Acknowledgements that a commit waits for.
offsets.commit.timeout.ms | INT | 5000 | [1,...] | HIGH | read-only | honoured | How long a commit waits to be replicated.
offsets.load.buffer.size | INT | 5242880 | [1,...] | HIGH | read-only | honoured | Bytes read at a time while offsets are loaded.
offsets.retention.check.interval.ms | LONG | 600000 | [1,...] | HIGH | read-only | honoured | How often expired offsets are looked for.
offsets.retention.minutes | INT | 10080 | [1,...] | HIGH | read-only | honoured | How long an empty group's offsets are kept.
offsets.topic.compression.codec | INT | 0 |  | HIGH | read-only | honoured | Codec of __consumer_offsets, by its number.
offsets.topic.num.partitions | INT | 50 | [1,...] | HIGH | read-only | honoured | Partitions of __consumer_offsets.
offsets.topic.replication.factor | SHORT | 3 | [1,...] | HIGH | read-only | honoured | Replicas of __consumer_offsets; no more than there are live brokers.
offsets.topic.segment.bytes | INT | 104857600 | [1,...] | HIGH | read-only | honoured | Segment size of __consumer_offsets.
offsets.topic.retention.minutes | INT | 1440 | [1,...] | HIGH | read-only | mapped to offsets.retention.minutes | The manual's name of offsets.retention.minutes.
"""
