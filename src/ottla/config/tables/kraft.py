"""Kafka's own quorum (KRaft), which Ottla does not have: who asks for one is refused. The form of the table: `ottla.config.tables`."""

TABLE = """
process.roles | LIST |  | [broker, controller] | HIGH | read-only | accepted: refused at the start; belongs to Kafka's own quorum (KRaft), Ottla is coordinated by ZooKeeper | Roles of a process in KRaft mode; empty: ZooKeeper mode.
controller.listener.names | STRING | null |  | HIGH | read-only | accepted: refused at the start; belongs to Kafka's own quorum (KRaft), Ottla is coordinated by ZooKeeper | Listeners of the quorum's controllers.
controller.quorum.voters | LIST |  | non-empty list | HIGH | read-only | accepted: refused at the start; belongs to Kafka's own quorum (KRaft), Ottla is coordinated by ZooKeeper | The quorum's members: id@host:port.
controller.quorum.bootstrap.servers | LIST |  | non-empty list | HIGH | read-only | accepted: refused at the start; belongs to Kafka's own quorum (KRaft), Ottla is coordinated by ZooKeeper | Where the quorum is found.
controller.quorum.append.linger.ms | INT | 25 |  | MEDIUM | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | How long the quorum's leader gathers writes.
controller.quorum.election.backoff.max.ms | INT | 1000 |  | HIGH | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Longest pause between elections.
controller.quorum.election.timeout.ms | INT | 1000 |  | HIGH | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | How long an election may take.
controller.quorum.fetch.timeout.ms | INT | 2000 |  | HIGH | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | A leader that is not heard for this long is replaced.
controller.quorum.request.timeout.ms | INT | 2000 |  | MEDIUM | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Time limit of the quorum's requests.
controller.quorum.retry.backoff.ms | INT | 20 |  | LOW | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Pause before they are tried again.
broker.heartbeat.interval.ms | INT | 2000 |  | MEDIUM | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Heartbeat of brokers to the quorum.
broker.session.timeout.ms | INT | 9000 |  | MEDIUM | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | A broker that sent none for this long is fenced.
initial.broker.registration.timeout.ms | INT | 60000 |  | MEDIUM | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | How long the first registration may take.
metadata.log.dir | STRING | null |  | HIGH | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Directory of the quorum's log.
metadata.log.max.record.bytes.between.snapshots | LONG | 20971520 | [1,...] | HIGH | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Bytes of that log between two snapshots.
metadata.log.max.snapshot.interval.ms | LONG | 3600000 | [0,...] | HIGH | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Time between two snapshots.
metadata.log.segment.bytes | INT | 1073741824 | [12,...] | HIGH | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Its segment size.
metadata.log.segment.ms | LONG | 604800000 |  | HIGH | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Its segment age.
metadata.max.idle.interval.ms | INT | 500 | [0,...] | LOW | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | How often an idle quorum writes.
metadata.max.retention.bytes | LONG | 104857600 |  | HIGH | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Size of it that is kept.
metadata.max.retention.ms | LONG | 604800000 |  | HIGH | read-only | accepted: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper | Time of it that is kept.
"""
