"""Transactions and the producers' ids. The form of the table: `ottla.config.tables`."""

TABLE = """
transaction.state.log.num.partitions | INT | 50 | [1,...] | HIGH | read-only | accepted: not yet, comes with transactions | Partitions of __transaction_state.
transaction.state.log.replication.factor | SHORT | 3 | [1,...] | HIGH | read-only | accepted: not yet, comes with transactions | Replicas of __transaction_state; no more than there are live brokers.
transaction.state.log.min.isr | INT | 2 | [1,...] | HIGH | read-only | accepted: not yet, comes with transactions | min.insync.replicas of __transaction_state.
transaction.state.log.segment.bytes | INT | 104857600 | [1,...] | HIGH | read-only | accepted: not yet, comes with transactions | Segment size of __transaction_state.
transaction.state.log.load.buffer.size | INT | 5242880 | [1,...] | HIGH | read-only | accepted: not yet, comes with transactions | Bytes read at a time while transactions are loaded.
transaction.max.timeout.ms | INT | 900000 | [1,...] | HIGH | read-only | accepted: not yet, comes with transactions | Longest transaction that a producer may ask for.
transaction.abort.timed.out.transaction.cleanup.interval.ms | INT | 10000 | [1,...] | LOW | read-only | accepted: not yet, comes with transactions | How often timed-out transactions are looked for.
transaction.remove.expired.transaction.cleanup.interval.ms | INT | 3600000 | [1,...] | LOW | read-only | accepted: not yet, comes with transactions | How often expired transactional ids are looked for.
transaction.partition.verification.enable | BOOLEAN | true |  | LOW | dynamic | accepted: not yet, comes with transactions | Whether a partition must belong to the transaction that writes to it.
transactional.id.expiration.ms | INT | 604800000 | [1,...] | HIGH | read-only | accepted: not yet, comes with transactions | An idle transactional id is forgotten after this long.
"""
