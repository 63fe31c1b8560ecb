"""Who this broker is, what it creates, where its data lies. The form of the table: `ottla.config.tables`."""

TABLE = """
broker.id | INT | -1 |  | HIGH | read-only | honoured | This broker's id, unique in the cluster; -1: ZooKeeper hands one out above reserved.broker.max.id.
node.id | INT | -1 |  | HIGH | read-only | mapped to broker.id | The name that newer Kafka uses for broker.id; one of the two is enough.
broker.id.generation.enable | BOOLEAN | true |  | MEDIUM | read-only | honoured | Whether a broker without an id is given one.
reserved.broker.max.id | INT | 1000 | [0,...] | MEDIUM | read-only | honoured | The largest id that an operator may set; generated ids begin above it.
broker.rack | STRING | null |  | MEDIUM | read-only | honoured | The rack that replica placement and closest-replica reads go by.
auto.create.topics.enable | BOOLEAN | true |  | HIGH | read-only | honoured | Whether asking for metadata of an unknown topic creates it.
delete.topic.enable | BOOLEAN | true |  | HIGH | read-only | honoured | Whether topics may be deleted.
num.partitions | INT | 1 | [1,...] | MEDIUM | read-only | honoured | Partitions of a topic that is created without a count.
default.replication.factor | INT | 1 |  | MEDIUM | read-only | honoured | Replicas of a topic that is created without a factor.
log.dir | STRING | null |  | HIGH | read-only | mapped to log.dirs | One directory for the logs, where log.dirs is not set.
log.dirs | STRING | ./data/logs |  | HIGH | read-only | honoured | Directories that hold the partitions, separated by commas.
background.threads | INT | 10 | [1,...] | HIGH | dynamic | accepted: one event loop does this work; there is no pool of threads | Threads for work such as deleting files.
num.io.threads | INT | 8 | [1,...] | HIGH | dynamic | accepted: one event loop does this work; there is no pool of threads | Threads that execute requests.
num.network.threads | INT | 3 | [1,...] | HIGH | dynamic | accepted: one event loop does this work; there is no pool of threads | Threads that read and write the sockets.
create.topic.policy.class.name | CLASS | null |  | LOW | read-only | accepted: there is no Java code to load or tune | Policy that may refuse the creation of a topic.
alter.config.policy.class.name | CLASS | null |  | LOW | read-only | accepted: there is no Java code to load or tune | Policy that may refuse a change of configuration.
auto.include.jmx.reporter | BOOLEAN | true |  | LOW | read-only | accepted: metrics are exported to Prometheus; there is no JMX | Whether metrics are reported through JMX unasked.
metric.reporters | LIST |  |  | LOW | dynamic | accepted: there is no Java code to load or tune | Classes that metrics are reported through.
kafka.metrics.reporters | LIST |  |  | LOW | read-only | accepted: there is no Java code to load or tune | Classes that the older metrics are reported through.
kafka.metrics.polling.interval.secs | INT | 10 | [1,...] | LOW | read-only | accepted: there is no Java code to load or tune | How often the older reporters are called.
metrics.num.samples | INT | 2 | [1,...] | LOW | read-only | accepted: rates are left to Prometheus; histograms look at the last one to two minutes | Samples that a rate is computed from.
metrics.sample.window.ms | LONG | 30000 | [1,...] | LOW | read-only | accepted: rates are left to Prometheus; histograms look at the last one to two minutes | Length of one sample of a rate.
metrics.recording.level | STRING | INFO |  | LOW | read-only | accepted: all metrics are always recorded | Which metrics are recorded at all.
telemetry.max.bytes | INT | 1048576 | [1,...] | LOW | read-only | accepted: not yet, no client metrics are taken in | Largest push of client metrics that is taken.
request.timeout.ms | INT | 30000 |  | HIGH | read-only | honoured | How long a request to another broker may wait for its answer.
"""
