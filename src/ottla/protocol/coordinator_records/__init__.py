"""What the coordinators keep in internal topics, one module per kind: a key and a value class each.

A record's key begins with a version that says what the record is (0 and 1 an offset, 2 a classic group, 3 to 8 a
KIP-848 group ...), its value with the version of the value's layout (see `versioned`); no value is a tombstone.
"""
