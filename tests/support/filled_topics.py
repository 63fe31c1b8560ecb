"""Filling topics, for the tests of the source."""

import ottla


def fill(servers, topic, values, partition=0, **fields):
    """Each value a record; returns when all are acknowledged."""
    with ottla.Producer(servers) as producer:
        for future in [producer.send(topic, value, partition=partition, **fields) for value in values]:
            future.result(30)


def numbered(count, first=0):
    return [b"%d" % number for number in range(first, first + count)]
