"""Transactions and the producers' ids. The form of the table: `ottla.config.tables`."""

TABLE = """
transaction.state.log.num.partitions | INT | 50 | [1,...] | HIGH | read-only | accepted
    Partitions of __transaction_state.
    No effect: not yet, comes with transactions.
transaction.state.log.replication.factor | SHORT | 3 | [1,...] | HIGH | read-only | accepted
    Replicas of __transaction_state; no more than there are live brokers.
    No effect: not yet, comes with transactions.
transaction.state.log.min.isr | INT | 2 | [1,...] | HIGH | read-only | accepted
    min.insync.replicas of __transaction_state.
    No effect: not yet, comes with transactions.
transaction.state.log.segment.bytes | INT | 104857600 | [1,...] | HIGH | read-only | accepted
    Segment size of __transaction_state.
    No effect: not yet, comes with transactions.
transaction.state.log.load.buffer.size | INT | 5242880 | [1,...] | HIGH | read-only | accepted
    Bytes read at a time while transactions are loaded.
    No effect: not yet, comes with transactions.
transaction.max.timeout.ms | INT | 900000 | [1,...] | HIGH | read-only | accepted
    Longest transaction that a producer may ask for.
    No effect: not yet, comes with transactions.
transaction.abort.timed.out.transaction.cleanup.interval.ms | INT | 10000 | [1,...] | LOW | read-only | accepted
    How often timed-out transactions are looked for.
    No effect: not yet, comes with transactions.
transaction.remove.expired.transaction.cleanup.interval.ms | INT | 3600000 | [1,...] | LOW | read-only | accepted
    How often expired transactional ids are looked for.
    No effect: not yet, comes with transactions.
transaction.partition.verification.enable | BOOLEAN | true |  | LOW | dynamic | accepted
    Whether a partition must belong to the transaction that writes to it.
    No effect: not yet, comes with transactions.
transactional.id.expiration.ms | INT | 604800000 | [1,...] | HIGH | read-only | accepted
    An idle transactional id is forgotten after this long.
    No effect: not yet, comes with transactions.
"""
