"""ZooKeeper: what is where, in which bytes, and how a broker talks to it.

    paths             the name of every znode, with examples of the payloads
    payloads          those payloads as values: encode and decode, pure
    session           the `Session` interface: reads, writes, multi, watches, state events, lease
    kazoo_session     Session over kazoo: its operations
    session_life      how such a session begins, lives and ends
    kazoo_link        the only module that imports kazoo
    mailbox           from its thread to the event loop
    blocking_client   a session for programs without an event loop
    request_window    the bound on requests in flight
    request_size      how large one write may be
    connect_string    `zookeeper.connect`
    created_acl       the ACL of what we create
    acl               who may do what to a znode
    lease             how long this broker may act as the owner of its session
    session_file      how it comes back to its session after kill -9
    watchdog          ends the session of a broker whose event loop is stuck
    errors            ZooKeeper's errors, one class per code
    znode_path        ZooKeeper's rules for the path of a znode
    znode             one znode as the tree keeps it
    stat              what ZooKeeper tells about a znode
    tree              the pure tree of znodes of the embedded server and of the session in `ottla.testing`
    operations        the changes that the tree knows
    planner           the rules by which an operation is allowed
    watches           who waits for which change
    embedded          a small ZooKeeper server: wire protocol, log, snapshots

Invariants
- Everything that is written to ZooKeeper for a decision is written with the version it was decided on.
- A session that did not hear from ZooKeeper for one session timeout, by our own monotonic clock and counted from when
  the last answered request was *sent*, is over, whatever a library says.
- Watches fire once. A watch that can no longer be trusted (connection lost) fires too: read again, watch again.
"""
