"""Clients that nobody here wrote, behind one interface: `produce`, `consume` (by assignment) and `offset_at`.

records      what they exchange with a test, and the Driver interface
pipe         clients in a process of their own, one JSON command per line: Java, Go, and two in Python
confluent    librdkafka through confluent-kafka, in the test's process
kcat         Debian's kcat, one process per call
catalogue    all of them by name
"""
