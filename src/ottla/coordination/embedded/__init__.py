"""A small ZooKeeper server: one process, loopback, durable. For a lone broker and for development.

It speaks ZooKeeper's own wire protocol, so that kazoo, zkCli and Kafka's brokers use it as they use an ensemble. The
way of a request, top to bottom:

    server             the embedded server at the event loop
    connection         one client's socket
    client             what the request processor knows of a connected client
    processor          a frame in, answers out
    handshake          the first frame of a connection
    authentication     the auth request
    read_requests      requests that only read the tree
    write_requests     requests that change the tree
    watch_requests     requests about watches
    session_tracker    which session must be heard from by when
    database           everything that the log rebuilds
    group_commit       one fsync for all transactions that wait for one
    txn_log            the transaction log
    snapshot           a whole database in one file, `snapshot.<zxid of its last transaction, 16 hex digits>`
    store              the data directory of the server
    framing            the outer form that transaction logs and snapshots share
    txn_codec          the payload of one frame of the transaction log
    jute               ZooKeeper's wire types (jute)
    four_letter_words  ZooKeeper's text commands
    server_config      zoo.cfg
    opcodes            the numbers of ZooKeeper's requests
    replies            what the server sends
    snapshotting       when a snapshot is written, and how
    standalone         the server as a process of its own

Durability: a transaction is written to the log before it is applied, and applied before it is on disk. What a client
gets to see (answers and watch events alike) carries the zxid it depends on and leaves only after an fsync has covered
that zxid. So nobody sees what a crash could take back, and the order in which answers were made is the order in which
they leave. A failed fsync ends the server: nothing that waited is answered.
"""
