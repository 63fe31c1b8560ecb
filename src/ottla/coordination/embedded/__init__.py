"""A small ZooKeeper server: one process, loopback, durable. For a lone broker and for development.

It speaks ZooKeeper's own wire protocol, so that kazoo, zkCli and Kafka's brokers use it as they use an ensemble. The
way of a request, top to bottom:

| module | what it holds |
|---|---|
| `server` | `EmbeddedZooKeeper`: listener, start and stop, what runs on the event loop beside requests |
| `connection` | one client's socket: frames in, answers out in order and only when they are durable |
| `processor` | a frame in, answers out: sessions, requests, watch events; no sockets, no files |
| `handshake`, `authentication`, `read_requests`, `write_requests`, `watch_requests` | one family of requests each |
| `session_tracker` | which session must be heard from by when |
| `database` | the state that the log rebuilds: the tree, the sessions, the last zxid |
| `group_commit` | one fsync for all transactions that wait for one |
| `txn_log`, `snapshot`, `store` | the files: transactions, whole states, recovery and purging |
| `framing`, `txn_codec`, `jute` | bytes: checked frames in files, transactions, ZooKeeper's wire types |
| `four_letter_words`, `server_config` | the text commands of operators; zoo.cfg |

Durability: a transaction is written to the log before it is applied, and applied before it is on disk. What a client
gets to see (answers and watch events alike) carries the zxid it depends on and leaves only after an fsync has covered
that zxid. So nobody sees what a crash could take back, and the order in which answers were made is the order in which
they leave. A failed fsync ends the server: nothing that waited is answered.
"""
