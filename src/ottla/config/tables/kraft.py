"""Kafka's own quorum (KRaft), which Ottla does not have: who asks for one is refused. The form of the table: `ottla.config.tables`."""

TABLE = """
process.roles | LIST |  | [broker, controller] | HIGH | read-only | accepted
    Roles of a process in KRaft mode; empty: ZooKeeper mode.
    No effect: refused at the start; belongs to Kafka's own quorum (KRaft), Ottla is coordinated by ZooKeeper.
controller.listener.names | STRING | null |  | HIGH | read-only | accepted
    Listeners of the quorum's controllers.
    No effect: refused at the start; belongs to Kafka's own quorum (KRaft), Ottla is coordinated by ZooKeeper.
controller.quorum.voters | LIST |  | non-empty list | HIGH | read-only | accepted
    The quorum's members: id@host:port.
    No effect: refused at the start; belongs to Kafka's own quorum (KRaft), Ottla is coordinated by ZooKeeper.
controller.quorum.bootstrap.servers | LIST |  | non-empty list | HIGH | read-only | accepted
    Where the quorum is found.
    No effect: refused at the start; belongs to Kafka's own quorum (KRaft), Ottla is coordinated by ZooKeeper.
controller.quorum.append.linger.ms | INT | 25 |  | MEDIUM | read-only | accepted
    How long the quorum's leader gathers writes.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
controller.quorum.election.backoff.max.ms | INT | 1000 |  | HIGH | read-only | accepted
    Longest pause between elections.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
controller.quorum.election.timeout.ms | INT | 1000 |  | HIGH | read-only | accepted
    How long an election may take.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
controller.quorum.fetch.timeout.ms | INT | 2000 |  | HIGH | read-only | accepted
    A leader that is not heard for this long is replaced.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
controller.quorum.request.timeout.ms | INT | 2000 |  | MEDIUM | read-only | accepted
    Time limit of the quorum's requests.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
controller.quorum.retry.backoff.ms | INT | 20 |  | LOW | read-only | accepted
    Pause before they are tried again.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
broker.heartbeat.interval.ms | INT | 2000 |  | MEDIUM | read-only | accepted
    Heartbeat of brokers to the quorum.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
broker.session.timeout.ms | INT | 9000 |  | MEDIUM | read-only | accepted
    A broker that sent none for this long is fenced.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
initial.broker.registration.timeout.ms | INT | 60000 |  | MEDIUM | read-only | accepted
    How long the first registration may take.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
metadata.log.dir | STRING | null |  | HIGH | read-only | accepted
    Directory of the quorum's log.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
metadata.log.max.record.bytes.between.snapshots | LONG | 20971520 | [1,...] | HIGH | read-only | accepted
    Bytes of that log between two snapshots.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
metadata.log.max.snapshot.interval.ms | LONG | 3600000 | [0,...] | HIGH | read-only | accepted
    Time between two snapshots.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
metadata.log.segment.bytes | INT | 1073741824 | [12,...] | HIGH | read-only | accepted
    Its segment size.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
metadata.log.segment.ms | LONG | 604800000 |  | HIGH | read-only | accepted
    Its segment age.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
metadata.max.idle.interval.ms | INT | 500 | [0,...] | LOW | read-only | accepted
    How often an idle quorum writes.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
metadata.max.retention.bytes | LONG | 104857600 |  | HIGH | read-only | accepted
    Size of it that is kept.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
metadata.max.retention.ms | LONG | 604800000 |  | HIGH | read-only | accepted
    Time of it that is kept.
    No effect: belongs to Kafka's own quorum (KRaft); Ottla is coordinated by ZooKeeper.
"""
