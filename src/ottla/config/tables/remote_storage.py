"""Tiered storage, which Ottla does not have. The form of the table: `ottla.config.tables`."""

TABLE = """
remote.fetch.max.wait.ms | INT | 500 | [1,...] | MEDIUM | dynamic | accepted: there is no tiered storage | How long a fetch waits for remote data.
remote.log.storage.system.enable | BOOLEAN | false |  | MEDIUM | read-only | accepted: there is no tiered storage | Whether segments are also kept in remote storage.
remote.log.storage.manager.class.name | STRING | null | non-empty string | MEDIUM | read-only | accepted: there is no tiered storage | Class that stores segments.
remote.log.storage.manager.class.path | STRING | null |  | MEDIUM | read-only | accepted: there is no tiered storage | Where that class is found.
remote.log.storage.manager.impl.prefix | STRING | rsm.config. | non-empty string | MEDIUM | read-only | accepted: there is no tiered storage | Prefix of its own keys.
remote.log.metadata.manager.class.name | STRING | org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager | non-empty string | MEDIUM | read-only | accepted: there is no tiered storage | Class that keeps the segments' metadata.
remote.log.metadata.manager.class.path | STRING | null |  | MEDIUM | read-only | accepted: there is no tiered storage | Where that class is found.
remote.log.metadata.manager.impl.prefix | STRING | rlmm.config. | non-empty string | MEDIUM | read-only | accepted: there is no tiered storage | Prefix of its own keys.
remote.log.metadata.manager.listener.name | STRING | null | non-empty string | MEDIUM | read-only | accepted: there is no tiered storage | Listener over which it reaches the cluster.
remote.log.metadata.custom.metadata.max.bytes | INT | 128 | [0,...] | LOW | read-only | accepted: there is no tiered storage | Largest extra metadata of a segment.
remote.log.index.file.cache.total.size.bytes | LONG | 1073741824 | [1,...] | LOW | dynamic | accepted: there is no tiered storage | Space for indexes fetched back.
remote.log.manager.thread.pool.size | INT | 10 | [1,...] | MEDIUM | read-only | accepted: there is no tiered storage | Threads of the remote log manager.
remote.log.manager.copier.thread.pool.size | INT | -1 | [-1,...] | MEDIUM | read-only | accepted: there is no tiered storage | Threads that upload.
remote.log.manager.expiration.thread.pool.size | INT | -1 | [-1,...] | MEDIUM | read-only | accepted: there is no tiered storage | Threads that delete.
remote.log.manager.task.interval.ms | LONG | 30000 | [1,...] | LOW | read-only | accepted: there is no tiered storage | How often its tasks run.
remote.log.manager.copy.max.bytes.per.second | LONG | 9223372036854775807 | [1,...] | MEDIUM | dynamic | accepted: there is no tiered storage | Most bytes uploaded per second.
remote.log.manager.copy.quota.window.num | INT | 11 | [1,...] | MEDIUM | read-only | accepted: there is no tiered storage | Windows of that rate.
remote.log.manager.copy.quota.window.size.seconds | INT | 1 | [1,...] | MEDIUM | read-only | accepted: there is no tiered storage | Length of such a window.
remote.log.manager.fetch.max.bytes.per.second | LONG | 9223372036854775807 | [1,...] | MEDIUM | dynamic | accepted: there is no tiered storage | Most bytes fetched back per second.
remote.log.manager.fetch.quota.window.num | INT | 11 | [1,...] | MEDIUM | read-only | accepted: there is no tiered storage | Windows of that rate.
remote.log.manager.fetch.quota.window.size.seconds | INT | 1 | [1,...] | MEDIUM | read-only | accepted: there is no tiered storage | Length of such a window.
remote.log.reader.threads | INT | 10 | [1,...] | MEDIUM | read-only | accepted: there is no tiered storage | Threads that fetch back.
remote.log.reader.max.pending.tasks | INT | 100 | [1,...] | MEDIUM | read-only | accepted: there is no tiered storage | Fetches that may wait for them.
"""
