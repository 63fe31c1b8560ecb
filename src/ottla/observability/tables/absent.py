"""MBeans of Kafka 3.9 and of the manual's 6.6 that have no metric of their own name, and why."""

ABSENT = """
kafka.server:type=ProducerRequestPurgatory,name=PurgatorySize | Today's name: kafka_server_delayedoperationpurgatory_purgatorysize{delayedOperation="Produce"}
kafka.server:type=FetchRequestPurgatory,name=PurgatorySize | Today's name: kafka_server_delayedoperationpurgatory_purgatorysize{delayedOperation="Fetch"}
kafka.network:type=RequestMetrics,name=QueueTimeMs,request=R | Today's name: kafka_network_requestmetrics_requestqueuetimems
kafka.consumer:type=ConsumerFetcherManager,name=MaxLag,clientId=C | Later: a client tells its own metrics by client.metrics()
kafka.producer:type=producer-metrics,client-id=C | Later: a client tells its own metrics by client.metrics()
kafka.producer:type=producer-node-metrics,client-id=C,node-id=N | Later: a client tells its own metrics by client.metrics()
kafka.producer:type=producer-topic-metrics,client-id=C,topic=T | Later: a client tells its own metrics by client.metrics()
kafka.controller:type=KafkaController,name=ZkMigrationState | Not applicable: there is no migration to KRaft
kafka.network:type=RequestChannel,name=ResponseQueueSize,processor=0 | Not applicable: one event loop, so kafka_network_requestchannel_responsequeuesize is all there is
kafka.network:type=RequestChannel,name=ResponseQueueSize,processor=1 | Not applicable: one event loop, so kafka_network_requestchannel_responsequeuesize is all there is
kafka.network:type=RequestChannel,name=ResponseQueueSize,processor=2 | Not applicable: one event loop, so kafka_network_requestchannel_responsequeuesize is all there is
kafka.network:type=SocketServer,name=ControlPlaneExpiredConnectionsKilledCount | Not applicable: the control plane's connections are counted with all others
kafka.network:type=SocketServer,name=ControlPlaneNetworkProcessorAvgIdlePercent | Not applicable: the control plane shares the event loop
kafka.security:type=AclAuthorizer,name=SessionState | Not applicable: the authorizer shares the broker's session: kafka_server_sessionexpirelistener_sessionstate
kafka.security:type=AclAuthorizer,name=ZooKeeperAuthFailuresPerSec | Not applicable: the authorizer shares the broker's session
kafka.security:type=AclAuthorizer,name=ZooKeeperDisconnectsPerSec | Not applicable: the authorizer shares the broker's session
kafka.security:type=AclAuthorizer,name=ZooKeeperExpiresPerSec | Not applicable: the authorizer shares the broker's session
kafka.security:type=AclAuthorizer,name=ZooKeeperReadOnlyConnectsPerSec | Not applicable: the authorizer shares the broker's session
kafka.security:type=AclAuthorizer,name=ZooKeeperSaslAuthenticationsPerSec | Not applicable: the authorizer shares the broker's session
kafka.security:type=AclAuthorizer,name=ZooKeeperSyncConnectsPerSec | Not applicable: the authorizer shares the broker's session
kafka.server:type=AddPartitionsManager-channel-metrics | Not applicable: all sockets belong to one event loop; outgoing connections have no metrics of their own
kafka.server:type=ControllerMutation | Later: quotas; the queue of throttled answers
kafka.server:type=DelayedFetchMetrics,name=ExpiresPerSec,fetcherType=follower | Today's name: kafka_server_delayedfetchmetrics_expires_total{fetcherType="follower"}
kafka.server:type=Fetch | Later: quotas; the queue of throttled answers
kafka.server:type=Request | Later: quotas; the queue of throttled answers
kafka.server:type=KafkaServer,name=yammer-metrics-count | Not applicable: there is one registry and its size is the scrape's
kafka.server:type=kafka-metrics-count | Not applicable: there is one registry and its size is the scrape's
kafka.server:type=alter-partition-metrics,BrokerId=0 | Not applicable: all sockets belong to one event loop; outgoing connections have no metrics of their own
kafka.server:type=app-info,id=N | Today's name: kafka_server_kafkaserver_info, kafka_server_appinfo_starttimems
kafka.server:type=controller-channel-metrics,broker-id=N | Not applicable: all sockets belong to one event loop; outgoing connections have no metrics of their own
kafka.server:type=forwarding-metrics,BrokerId=0 | Not applicable: requests are not forwarded to the controller
kafka.server:type=socket-server-metrics | Today's name: kafka_server_socketservermetrics_connection_creation_total, summed over listeners
kafka.server:type=socket-server-metrics,listener=L | Today's name: kafka_server_socketservermetrics_connection_creation_total, summed over processors
kafka.server:type=SessionExpireListener,name=ZooKeeperReadOnlyConnectsPerSec | Not applicable: a server of ZooKeeper that only reads is not connected to
kafka.server:type=txn-marker-channel-metrics | Not applicable: all sockets belong to one event loop; outgoing connections have no metrics of their own
kafka.utils:type=Throttler,name=cleaner-io | Later: the log cleaner
kafka:type=kafka.Log4jController | Not applicable: log levels are a configuration key
"""
