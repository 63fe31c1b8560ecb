"""One broker: its parts wired together by their constructors, started and stopped in order, and the process around it.

    process                event loop, signals, log lines, exit code
    stop_deadline          a stop that hangs ends the process
    broker                 the parts in the order in which they start
    deployment             whether this process is alone in its cluster
    stop_sequence          the same backwards, each step with a bound
    zookeeper              the session with ZooKeeper; a server of our own where the broker is alone
    zookeeper_directory    whose the data of that server is
    identity               broker id and cluster id
    topic_configs          the configuration of each topic
    data_plane             logs, partitions, the requests that wait on them
    log_cleaning           the cleaner: its process and its thread
    log_dir_contents       what the log directories say about the cluster before it is loaded
    control_plane          registration, controller, dynamic configs, producer ids
    hosted_partitions      from the controller's roles to replication's partitions
    replication_plane      fetchers, ISR changes, requests to peers
    peer_metadata_refresh  who leads, asked of peers while there is no session
    controlled_shutdown    others lead before we stop
    group_coordination     consumer groups
    handler_table          which APIs are served
    broker_telemetry       the broker's state, the event loop's pulse, the metrics page
    metrics_endpoint       the page itself
    log_metrics            metrics of logs
    data_metrics           metrics of partitions and waiting requests
    replication_metrics    metrics of leaders and followers
    control_metrics        metrics of controller and session
    adoption               adopting log directories: what lies in them is registered in ZooKeeper, so that a broker

Constructors take what they need. Where two parts need each other, one is bound late. These are all such circles:

    DataPlane <-> ControlPlane            logs are loaded before the broker knows its cluster; partitions come by `host`
    ReplicaManager <-> FetcherManager     the manager makes its fetchers of itself (`make_fetchers`)
    ReplicaContext <-> ControllerNode     an ISR change goes to the controller, which may be here (`alter_locally`)
    ControlPlane <-> ControlRequestHandler   who hears that the controller has told everything marks the logs intact

Who only wants to know subscribes: to logs (`LogObserver`), configs, the session, the metadata, the broker's own keys,
and the partitions that are led here (`HostedPartitions.subscribe`).
"""
