"""Tiered storage, which Ottla does not have. The form of the table: `ottla.config.tables`."""

TABLE = """
remote.fetch.max.wait.ms | INT | 500 | [1,...] | MEDIUM | dynamic | accepted
    How long a fetch waits for remote data.
    No effect: there is no tiered storage.
remote.log.storage.system.enable | BOOLEAN | false |  | MEDIUM | read-only | accepted
    Whether segments are also kept in remote storage.
    No effect: there is no tiered storage.
remote.log.storage.manager.class.name | STRING | null | non-empty string | MEDIUM | read-only | accepted
    Class that stores segments.
    No effect: there is no tiered storage.
remote.log.storage.manager.class.path | STRING | null |  | MEDIUM | read-only | accepted
    Where that class is found.
    No effect: there is no tiered storage.
remote.log.storage.manager.impl.prefix | STRING | rsm.config. | non-empty string | MEDIUM | read-only | accepted
    Prefix of its own keys.
    No effect: there is no tiered storage.
remote.log.metadata.manager.class.name | STRING | org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager | non-empty string | MEDIUM | read-only | accepted
    Class that keeps the segments' metadata.
    No effect: there is no tiered storage.
remote.log.metadata.manager.class.path | STRING | null |  | MEDIUM | read-only | accepted
    Where that class is found.
    No effect: there is no tiered storage.
remote.log.metadata.manager.impl.prefix | STRING | rlmm.config. | non-empty string | MEDIUM | read-only | accepted
    Prefix of its own keys.
    No effect: there is no tiered storage.
remote.log.metadata.manager.listener.name | STRING | null | non-empty string | MEDIUM | read-only | accepted
    Listener over which it reaches the cluster.
    No effect: there is no tiered storage.
remote.log.metadata.custom.metadata.max.bytes | INT | 128 | [0,...] | LOW | read-only | accepted
    Largest extra metadata of a segment.
    No effect: there is no tiered storage.
remote.log.index.file.cache.total.size.bytes | LONG | 1073741824 | [1,...] | LOW | dynamic | accepted
    Space for indexes fetched back.
    No effect: there is no tiered storage.
remote.log.manager.thread.pool.size | INT | 10 | [1,...] | MEDIUM | read-only | accepted
    Threads of the remote log manager.
    No effect: there is no tiered storage.
remote.log.manager.copier.thread.pool.size | INT | -1 | [-1,...] | MEDIUM | read-only | accepted
    Threads that upload.
    No effect: there is no tiered storage.
remote.log.manager.expiration.thread.pool.size | INT | -1 | [-1,...] | MEDIUM | read-only | accepted
    Threads that delete.
    No effect: there is no tiered storage.
remote.log.manager.task.interval.ms | LONG | 30000 | [1,...] | LOW | read-only | accepted
    How often its tasks run.
    No effect: there is no tiered storage.
remote.log.manager.copy.max.bytes.per.second | LONG | 9223372036854775807 | [1,...] | MEDIUM | dynamic | accepted
    Most bytes uploaded per second.
    No effect: there is no tiered storage.
remote.log.manager.copy.quota.window.num | INT | 11 | [1,...] | MEDIUM | read-only | accepted
    Windows of that rate.
    No effect: there is no tiered storage.
remote.log.manager.copy.quota.window.size.seconds | INT | 1 | [1,...] | MEDIUM | read-only | accepted
    Length of such a window.
    No effect: there is no tiered storage.
remote.log.manager.fetch.max.bytes.per.second | LONG | 9223372036854775807 | [1,...] | MEDIUM | dynamic | accepted
    Most bytes fetched back per second.
    No effect: there is no tiered storage.
remote.log.manager.fetch.quota.window.num | INT | 11 | [1,...] | MEDIUM | read-only | accepted
    Windows of that rate.
    No effect: there is no tiered storage.
remote.log.manager.fetch.quota.window.size.seconds | INT | 1 | [1,...] | MEDIUM | read-only | accepted
    Length of such a window.
    No effect: there is no tiered storage.
remote.log.reader.threads | INT | 10 | [1,...] | MEDIUM | read-only | accepted
    Threads that fetch back.
    No effect: there is no tiered storage.
remote.log.reader.max.pending.tasks | INT | 100 | [1,...] | MEDIUM | read-only | accepted
    Fetches that may wait for them.
    No effect: there is no tiered storage.
"""
