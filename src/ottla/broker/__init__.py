"""One broker: its parts wired together, started and stopped in order, and the process around it.

adoption               adopting log directories
broker                 one broker
broker_telemetry       what the broker tells about itself
control_metrics        metrics of the broker's part in the cluster
control_plane          the broker's part in the cluster
controlled_shutdown    leaving in good order
data_metrics           metrics of logs and partitions
data_plane             the data of a broker
group_coordination     consumer groups on this broker
handler_table          which APIs this broker serves, each by its handler file
hosted_partitions      the partitions that the controller gives this broker
identity               who this broker is
log_cleaning           the cleaner of a broker
log_dir_contents       what log directories say about the cluster before it is loaded
metrics_endpoint       `GET /metrics` for Prometheus
peer_metadata_refresh  what a broker without a ZooKeeper session learns from its peers
process                the process around a broker
replication_metrics    metrics of replication
replication_plane      the broker among its peers
stop_deadline          the end of a stop that does not end
stop_sequence          the parts of a broker to stop, the last one started first, each within its bound
topic_configs          the configuration of each topic
zookeeper              the broker's way to ZooKeeper
zookeeper_directory    whose the embedded ZooKeeper's directory is
"""
