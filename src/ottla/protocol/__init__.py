"""Kafka's protocol: bytes to messages and back (step 2 of a record's path). Sans-IO: no socket, no clock, no thread.

    messages/             one module per API: request, response and their structs, declared once for all versions
    coordinator_records/  what the coordinators keep in `__consumer_offsets` and `__transaction_state`
    schema                how a message is declared; on top of `field` (one field) and `message` (the base classes)
    codec                 decode, encode, encode_chunks, prepare
    reader_compiler, writer_compiler    Python source per (message, version), from `layout`, built with `source`
    primitives            varints, tags and UUIDs that compiled code calls; `initializer` compiles constructors
    api_keys, apis        the numbers of the APIs, their versions and classes
    headers               what stands in front of every request and response
    versioned             payloads with their version in front

Bytes from outside give a message or a DecodeError, never another exception, and never cost more memory than they pay
for. All integers are big-endian. Up to an API's last inflexible version a string is an int16 length and UTF-8, an array
or bytes an int32 length and the content, -1 for null; in flexible versions lengths are unsigned varints, one more than
the length, 0 for null, and every struct ends with a section of tagged fields (KIP-482). A null struct is one byte, -1.
"""
