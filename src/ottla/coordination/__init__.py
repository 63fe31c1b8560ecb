"""ZooKeeper: what is where, in which bytes, and how a broker talks to it.

| module | what it holds |
|---|---|
| `paths` | the name of every znode, with examples of the payloads |
| `payloads` | those payloads as values: encode and decode, pure |
| `session` | the `Session` interface: reads, writes, multi, watches, state events, lease |
| `kazoo_session`, `session_life` | Session over kazoo: its operations; how it begins, lives and ends |
| `kazoo_link`, `mailbox` | the only module that imports kazoo; from its thread to the loop |
| `request_window` | the bound on requests in flight |
| `connect_string`, `created_acl` | `zookeeper.connect`; the ACL of what we create |
| `memory_session` | Session over a `ZnodeTree` in this process: unit tests and simulation |
| `lease`, `session_file`, `watchdog` | how a broker fences itself, and how it comes back after kill -9 |
| `errors` | ZooKeeper's errors, one class per code |
| `tree` | the pure tree of znodes that the embedded server and `memory_session` share |
| `embedded` | a small ZooKeeper server: wire protocol, log, snapshots |

Invariants
- Everything that is written to ZooKeeper for a decision is written with the version it was decided on.
- A session that did not hear from ZooKeeper for one session timeout, by our own monotonic clock and counted from when
  the last answered request was *sent*, is over, whatever a library says.
- Watches fire once. A watch that can no longer be trusted (connection lost) fires too: read again, watch again.
"""
