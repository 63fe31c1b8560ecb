"""Who leads what: the controller, and the side of every broker that obeys it.

    ZooKeeper ──watches──► event_queue ──► node ──► plans (pure) ──► state_store ──► ZooKeeper (multi, epoch checked)
                                                         └────────► control_requests ──► broker_channel ──► brokers
    broker:  broker_state ◄── LeaderAndIsr, UpdateMetadata, StopReplica ──► local_partitions, metadata cache

| module | what it holds |
|---|---|
| `node`, `event_queue` | the controller on this broker, in office or not; one event at a time |
| `active_controller`, `context` | the controller in office; what its parts share |
| `topic_deletions`, `notifications` | deletion to the last file; what tools and brokers ask through ZooKeeper |
| `election` | /controller and /controller_epoch |
| `state`, `elections`, `plans` | what the controller knows; the rules; what to change (pure) |
| `state_store` | reads and writes of ZooKeeper, each write conditioned on the controller's epoch |
| `control_requests`, `broker_channel` | what brokers are told, and how it gets there |
| `topic_admin`, `topic_rules`, `placement` | creation, deletion, more partitions; where replicas go |
| `auto_creation` | topics that nobody created, and the internal ones |
| `control_request_handler`, `local_partitions` | how a broker takes the controller's word, and whom it tells |
| `registration` | /brokers/ids/N, /cluster/id, generated ids |
| `config_store` | dynamic configs and their notifications |
| `producer_ids` | blocks of producer ids |

Invariants
- One event at a time; plans see no half-done state.
- Every write is a multi that checks the version of /controller_epoch: a deposed controller changes nothing.
- Brokers are told only what is in ZooKeeper already, with the epochs that let them refuse old news.
"""
