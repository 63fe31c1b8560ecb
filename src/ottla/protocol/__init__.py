"""Kafka's protocol: bytes to messages and back (step 2 of a record's path). Sans-IO: no socket, no clock, no thread.

    messages/             requests and responses with their structs, declared once for all versions
    coordinator_records/  what the coordinators keep in `__consumer_offsets` and `__transaction_state`
    schema                the vocabulary of declarations
    field                 one field of a message: type, versions, default
    message               the base classes of messages
    codec                 decode, encode, encode_chunks, prepare
    layout                which fields of a struct are on the wire in one version
    reader_compiler       compiles the reader of one message in one version
    writer_compiler       compiles the writer of one message in one version
    source                Python source under construction, for both compilers
    primitives            varints, tags and UUIDs that compiled code calls
    initializer           compiles the constructors of messages
    api_keys              the numbers of the APIs and their versions
    apis                  the message classes and the header versions of the APIs
    headers               the headers of requests and responses
    versioned             payloads with their version in front
    response_errors       compiles the count of a response's error codes
    single_batch          finds the batch of a Produce request that has one, without a message
    single_element        packs responses that have one element in each array, without a message

Bytes from outside give a message or a DecodeError, never another exception, and never cost more memory than they pay
for. All integers are big-endian. Up to an API's last inflexible version a string is an int16 length and UTF-8, an array
or bytes an int32 length and the content, -1 for null; in flexible versions lengths are unsigned varints, one more than
the length, 0 for null, and every struct ends with a section of tagged fields (KIP-482). A null struct is one byte, -1.
"""
