"""The keys as tables, one module per theme, read only when somebody asks for that kind (`ottla.config.keys`).

A table is a text, because 650 objects at import would cost more than the whole broker may take to start. One entry:

    key | TYPE | default | valid values | IMPORTANCE | read-only or dynamic | status
        What it means, in one line.
        Else: the broker's key that a topic without this one goes by.      (topics only)

The default is written as in a properties file; `null` is no value at all, `(required)` has to be given. Valid values
are written as Kafka documents them: `ottla.config.validators` reads them. The status is `honoured`, `mapped to KEY`, or
`accepted: ` and why the key has no effect. Client keys have an empty update mode: a client is configured once.
"""
