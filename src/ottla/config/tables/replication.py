"""Replicas, the controller and what throttles them. The form of the table: `ottla.config.tables`."""

TABLE = """
min.insync.replicas | INT | 1 | [1,...] | HIGH | dynamic | honoured | Replicas that must be in sync for acks=all to be accepted.
unclean.leader.election.enable | BOOLEAN | false |  | HIGH | dynamic | honoured | Whether a replica out of sync may lead when no other can, losing data.
replica.lag.time.max.ms | LONG | 30000 |  | HIGH | read-only | honoured | A follower that was not caught up for this long leaves the ISR.
replica.fetch.max.bytes | INT | 1048576 | [0,...] | MEDIUM | read-only | honoured | Bytes that a follower asks for per partition.
replica.fetch.response.max.bytes | INT | 10485760 | [0,...] | MEDIUM | read-only | honoured | Bytes that a follower asks for in all.
replica.fetch.min.bytes | INT | 1 |  | HIGH | read-only | honoured | Bytes that a follower's fetch waits for.
replica.fetch.wait.max.ms | INT | 500 |  | HIGH | read-only | honoured | How long a follower's fetch waits for them.
replica.fetch.backoff.ms | INT | 1000 | [0,...] | MEDIUM | read-only | honoured | Pause after a failed fetch of a partition.
replica.socket.timeout.ms | INT | 30000 |  | HIGH | read-only | honoured | Time limit of a follower's requests.
replica.socket.receive.buffer.bytes | INT | 65536 |  | HIGH | read-only | accepted: not yet, comes with replication between brokers | SO_RCVBUF of a follower's connections.
replica.high.watermark.checkpoint.interval.ms | LONG | 5000 |  | HIGH | read-only | honoured | How often high watermarks are written down.
replica.selector.class | STRING | null |  | MEDIUM | read-only | honoured | Which replica a consumer is sent to read from.
num.replica.fetchers | INT | 1 |  | HIGH | dynamic | honoured | Connections that a follower fetches over, per leader.
num.replica.alter.log.dirs.threads | INT | null |  | HIGH | read-only | accepted: one event loop does this work; there is no pool of threads | Threads that move replicas between directories; unset: one per directory.
controller.socket.timeout.ms | INT | 30000 |  | MEDIUM | read-only | honoured | Time limit of the controller's requests to brokers.
controlled.shutdown.enable | BOOLEAN | true |  | MEDIUM | read-only | honoured | Whether a stopping broker first hands its leaders over.
controlled.shutdown.max.retries | INT | 3 |  | MEDIUM | read-only | honoured | How often it tries.
controlled.shutdown.retry.backoff.ms | LONG | 5000 |  | MEDIUM | read-only | honoured | Pause between the tries.
auto.leader.rebalance.enable | BOOLEAN | true |  | HIGH | read-only | honoured | Whether leadership goes back to preferred replicas by itself.
leader.imbalance.check.interval.seconds | LONG | 300 | [1,...] | HIGH | read-only | honoured | How often that is looked at.
leader.imbalance.per.broker.percentage | INT | 10 |  | HIGH | read-only | honoured | Share of lost leaderships of a broker above which it is done.
inter.broker.protocol.version | STRING | 3.9-IV0 | a Kafka version | MEDIUM | read-only | accepted: every broker of a cluster speaks 3.9's versions, as ApiVersions says | Version of the protocol between brokers.
quota.window.num | INT | 11 | [1,...] | LOW | read-only | accepted: not yet, comes with quotas | Windows that a client's rate is computed from.
quota.window.size.seconds | INT | 1 | [1,...] | LOW | read-only | accepted: not yet, comes with quotas | Length of such a window.
controller.quota.window.num | INT | 11 | [1,...] | LOW | read-only | accepted: not yet, comes with quotas | Windows for the rate of topic changes.
controller.quota.window.size.seconds | INT | 1 | [1,...] | LOW | read-only | accepted: not yet, comes with quotas | Length of such a window.
replication.quota.window.num | INT | 11 | [1,...] | LOW | read-only | accepted: not yet, comes with quotas | Windows for the rate of throttled replication.
replication.quota.window.size.seconds | INT | 1 | [1,...] | LOW | read-only | accepted: not yet, comes with quotas | Length of such a window.
alter.log.dirs.replication.quota.window.num | INT | 11 | [1,...] | LOW | read-only | accepted: not yet, comes with quotas | Windows for the rate of moves between directories.
alter.log.dirs.replication.quota.window.size.seconds | INT | 1 | [1,...] | LOW | read-only | accepted: not yet, comes with quotas | Length of such a window.
client.quota.callback.class | CLASS | null |  | LOW | read-only | accepted: there is no Java code to load or tune | Class that decides quotas.
eligible.leader.replicas.enable | BOOLEAN | false |  | HIGH | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Whether replicas that left the ISR last may lead cleanly.
replica.lag.max.messages | LONG | 4000 |  | HIGH | read-only | accepted: since Kafka 0.9 only time decides who is in sync | A follower further behind than this left the ISR.
controller.message.queue.size | INT | 2147483647 | [1,...] | HIGH | read-only | accepted: the controller keeps the newest state per broker instead of a queue | Requests that may wait for one broker.
leader.replication.throttled.rate | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | accepted: not yet, comes with quotas | Bytes per second that a leader gives to throttled replicas.
follower.replication.throttled.rate | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | accepted: not yet, comes with quotas | Bytes per second that a follower takes for throttled replicas.
replica.alter.log.dirs.io.max.bytes.per.second | LONG | 9223372036854775807 | [0,...] | MEDIUM | dynamic | accepted: not yet, comes with quotas | Bytes per second of moves between directories.
"""
