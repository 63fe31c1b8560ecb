"""What the coordinators keep in internal topics, one module per kind: a key and a value class each.

    offset_commit    committed offsets
    group_metadata   classic groups
    consumer_group   groups of the consumer protocol (KIP-848)
    share_group      share groups (KIP-932)
    share_state      the progress of share groups
    transaction_log  transactions

A record's key begins with a version that says what the record is (0 and 1 an offset, 2 a classic group, 3 to 8 a
KIP-848 group ...), its value with the version of the value's layout (see `versioned`); no value is a tombstone.
"""
