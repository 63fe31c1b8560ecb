"""A small ZooKeeper server: one process, loopback, durable. For a lone broker and for development.

It speaks ZooKeeper's own wire protocol, so that kazoo, zkCli and Kafka's brokers use it as they use an ensemble. The
way of a request, top to bottom:

    server             `EmbeddedZooKeeper`: listener, start and stop, what runs on the event loop beside requests
    standalone         the server as a process of its own
    server_config      zoo.cfg
    connection         one client's socket: frames in, responses out in order and only when they are durable
    processor          a frame in, responses out: sessions, requests, watch events; no sockets, no files
    replies            the bytes of what the server sends
    opcodes            the numbers of requests
    handshake          how a session begins
    authentication     who a client is
    read_requests      requests that read
    write_requests     requests that write
    watch_requests     requests about watches
    session_tracker    which session must be heard from by when
    database           the state that the log rebuilds: the tree, the sessions, the last zxid
    group_commit       one fsync for all transactions that wait for one
    store              recovery and purging of files
    txn_log            the files of transactions
    snapshot           the files of whole states
    snapshotting       when a snapshot is written, and how
    framing            checked frames in files
    txn_codec          the bytes of transactions
    jute               ZooKeeper's wire types
    four_letter_words  the text commands of operators
    client             a connected client, as the processor knows it

Durability: a transaction is written to the log before it is applied, and applied before it is on disk. What a client
gets to see (answers and watch events alike) carries the zxid it depends on and leaves only after an fsync has covered
that zxid. So nobody sees what a crash could take back, and the order in which answers were made is the order in which
they leave. A failed fsync ends the server: nothing that waited is answered.
"""
