"""ZooKeeper: what is where, in which bytes, and how a broker talks to it.

    paths            the name of every znode that Ottla reads or writes: Kafka 3.9's in ZooKeeper mode
    znode            one znode as the tree keeps it
    payloads/        the payloads of znodes as values
    session          a session with ZooKeeper, as the broker sees it
    watches          who waits for which change: ZooKeeper's watches, pure
    lease            how long this broker may still act as the owner of its ZooKeeper session, by its own clock
    kazoo_session    `Session` over kazoo
    session_life     the life of a session over kazoo
    operations       the changes that a tree of znodes knows, in two forms
    kazoo_link       one kazoo client, its threads kept behind
    mailbox          from other threads to the event loop
    request_window   the requests of a session that have no answer yet
    connect_string   `zookeeper.connect`
    created_acl      the ACL of what we create, by path, as Kafka chooses it
    session_file     the id and password of the broker's ZooKeeper session, kept in its log directory
    watchdog         a thread that ends the ZooKeeper session of a broker whose event loop is stuck
    errors           ZooKeeper's errors, one class per code of its wire protocol
    tree             the tree of znodes
    embedded/        a small ZooKeeper server
    acl              who may do what to a znode: ACL entries, the identities of a caller
    blocking_client  a session for programs without an event loop
    planner          the rules by which an operation on the tree is allowed
    request_size     how large one write to ZooKeeper may be, reckoned before it is sent
    stat             what ZooKeeper tells about a znode, and its fixed wire form
    znode_path       ZooKeeper's rules for the path of a znode

Invariants
- Everything that is written to ZooKeeper for a decision is written with the version it was decided on.
- A session that did not hear from ZooKeeper for one session timeout, by our own monotonic clock and counted from when
  the last answered request was *sent*, is over, whatever a library says.
- Watches fire once. A watch that can no longer be trusted (connection lost) fires too: read again, watch again.
"""
