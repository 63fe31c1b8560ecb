"""The keys that only Ottla has. The form of the table: `ottla.config.tables`."""

TABLE = """
ottla.zookeeper.port | INT | 2181 | [0,...,65535] | MEDIUM | read-only | honoured | Port of the embedded ZooKeeper on loopback; taken: the next free one; 0: any.
ottla.validate.compressed | BOOLEAN | false |  | MEDIUM | dynamic | honoured | Whether compressed batches are opened and every record in them is checked.
ottla.metrics.port | INT | -1 | [-1,...,65535] | MEDIUM | read-only | honoured | Port of the Prometheus endpoint /metrics; 0: any; -1: there is none.
ottla.metrics.host | STRING | localhost | non-empty string | LOW | read-only | honoured | Address that the Prometheus endpoint listens on.
ottla.request.max.bytes.before.authentication | INT | 524288 | [1024,...] | MEDIUM | read-only | accepted: not yet, comes with TLS and SASL | Largest request of a connection that has yet to authenticate.
ottla.frame.receive.timeout.ms | INT | 60000 | [1,...] | MEDIUM | dynamic | honoured | A request that was begun must have come in full after this long; a large one must grow by 256 KB a second.
ottla.log.level | STRING | INFO | [DEBUG, INFO, WARNING, ERROR] | LOW | read-only | honoured | The least level of what is logged. INFO tells what was set at the start; DEBUG every key with its value.
ottla.segment.handles.max | INT | 8000 | [16,...] | LOW | read-only | honoured | Segment files open at once; the least recently used is closed first.
ottla.zookeeper.auth | PASSWORD | null |  | MEDIUM | read-only | honoured | user:password with which the broker authenticates to ZooKeeper by the digest scheme.
ottla.stop.timeout.ms | INT | 9000 | [1000,...] | LOW | read-only | honoured | A stop that takes longer, but for flushing the logs, ends the process; a third of it is for the controlled shutdown.
ottla.zookeeper.data.dir | STRING | null | non-empty string | LOW | read-only | honoured | Data of the embedded ZooKeeper; unset: a directory zookeeper beside the first log directory.
"""
