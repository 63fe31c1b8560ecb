"""The traffic of this broker: records, bytes, connections, requests that wait."""

METRICS = """
kafka_server_brokertopicmetrics_messagesin_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec | Records appended by producers.
kafka_server_brokertopicmetrics_bytesin_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec | Bytes of record batches appended by producers.
kafka_server_brokertopicmetrics_bytesout_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=BytesOutPerSec | Bytes of record batches sent to consumers.
kafka_server_brokertopicmetrics_bytesrejected_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=BytesRejectedPerSec | Bytes of record batches refused for their size.
kafka_server_brokertopicmetrics_totalproducerequests_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=TotalProduceRequestsPerSec | Produce requests for a partition of the topic.
kafka_server_brokertopicmetrics_totalfetchrequests_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=TotalFetchRequestsPerSec | Fetch requests for a partition of the topic.
kafka_server_brokertopicmetrics_failedproducerequests_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=FailedProduceRequestsPerSec | Produce requests for a partition of the topic that failed.
kafka_server_brokertopicmetrics_failedfetchrequests_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=FailedFetchRequestsPerSec | Fetch requests for a partition of the topic that failed.
kafka_server_brokertopicmetrics_producemessageconversions_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=ProduceMessageConversionsPerSec | Records converted from an old format, or recompressed for compression.type, on their way in.
kafka_server_brokertopicmetrics_fetchmessageconversions_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=FetchMessageConversionsPerSec | Records converted to an old format on their way out.
kafka_server_brokertopicmetrics_invalidmagicnumberrecords_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=InvalidMagicNumberRecordsPerSec | Record batches refused for a format that does not exist.
kafka_server_brokertopicmetrics_invalidmessagecrcrecords_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=InvalidMessageCrcRecordsPerSec | Record batches refused for a wrong checksum.
kafka_server_brokertopicmetrics_invalidoffsetorsequencerecords_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=InvalidOffsetOrSequenceRecordsPerSec | Record batches refused for wrong offsets or sequence numbers.
kafka_server_brokertopicmetrics_nokeycompactedtopicrecords_total | counter | topic | sum | kafka.server:type=BrokerTopicMetrics,name=NoKeyCompactedTopicRecordsPerSec | Records without a key refused by a compacted topic.
kafka_server_brokertopicmetrics_replicationbytesin_total | counter |  | | kafka.server:type=BrokerTopicMetrics,name=ReplicationBytesInPerSec | Later: replication between brokers. | Bytes fetched from other brokers' leaders.
kafka_server_brokertopicmetrics_replicationbytesout_total | counter |  | | kafka.server:type=BrokerTopicMetrics,name=ReplicationBytesOutPerSec | Later: replication between brokers. | Bytes sent to other brokers' followers.
kafka_server_brokertopicmetrics_reassignmentbytesin_total | counter |  | | kafka.server:type=BrokerTopicMetrics,name=ReassignmentBytesInPerSec | Later: reassignment. | Bytes fetched because of a reassignment.
kafka_server_brokertopicmetrics_reassignmentbytesout_total | counter |  | | kafka.server:type=BrokerTopicMetrics,name=ReassignmentBytesOutPerSec | Later: reassignment. | Bytes sent because of a reassignment.
kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent | gauge |  | | kafka.server:type=KafkaRequestHandlerPool,name=RequestHandlerAvgIdlePercent | Share of the last minute in which the event loop had nothing to do, 0 to 1.
kafka_network_socketserver_networkprocessoravgidle_percent | gauge |  | | kafka.network:type=SocketServer,name=NetworkProcessorAvgIdlePercent | Share of the last minute in which the event loop waited for sockets, 0 to 1.
kafka_network_processor_idle_percent | gauge | networkProcessor | | kafka.network:type=Processor,name=IdlePercent,networkProcessor=N | Share of the last minute in which this processor, the event loop, was idle, 0 to 1.
kafka_network_socketserver_expiredconnectionskilledcount | gauge |  | | kafka.network:type=SocketServer,name=ExpiredConnectionsKilledCount | Later: TLS and SASL. | Connections closed because their session was not authenticated again in time.
kafka_network_socketserver_memorypoolavailable | gauge |  | | kafka.network:type=SocketServer,name=MemoryPoolAvailable | What is left of queued.max.request.bytes.
kafka_network_socketserver_memorypoolused | gauge |  | | kafka.network:type=SocketServer,name=MemoryPoolUsed | Bytes of admitted requests that are not handled yet.
kafka_network_acceptor_acceptorblocked_percent | gauge | listener | | kafka.network:type=Acceptor,name=AcceptorBlockedPercent,listener=L | Share of the time in which accepting was paused.
kafka_network_requestchannel_requestqueuesize | gauge |  | | kafka.network:type=RequestChannel,name=RequestQueueSize | Requests admitted and not handled yet.
kafka_network_requestchannel_responsequeuesize | gauge |  | | kafka.network:type=RequestChannel,name=ResponseQueueSize | Responses not sent completely yet.
kafka_server_socketservermetrics_connection_count | gauge | listener,networkProcessor | | kafka.server:type=socket-server-metrics,listener=L,networkProcessor=N connection-count | Open connections.
kafka_server_socketservermetrics_connection_creation_total | counter | listener,networkProcessor | | kafka.server:type=socket-server-metrics,listener=L,networkProcessor=N connection-creation-total | Connections accepted.
kafka_server_socketservermetrics_connection_close_total | counter | listener,networkProcessor | | kafka.server:type=socket-server-metrics,listener=L,networkProcessor=N connection-close-total | Connections closed, by whichever side.
kafka_server_socketservermetrics_incoming_byte_total | counter | listener,networkProcessor | | kafka.server:type=socket-server-metrics,listener=L,networkProcessor=N incoming-byte-total | Bytes received.
kafka_server_socketservermetrics_outgoing_byte_total | counter | listener,networkProcessor | | kafka.server:type=socket-server-metrics,listener=L,networkProcessor=N outgoing-byte-total | Bytes sent.
kafka_server_socketservermetrics_connections | gauge | clientSoftwareName,clientSoftwareVersion,listener,networkProcessor | | kafka.server:type=socket-server-metrics,clientSoftwareName=X,clientSoftwareVersion=X,listener=L,networkProcessor=N | Open connections by client library.
kafka_server_socketservermetrics_successful_authentication_total | counter | listener,networkProcessor | | kafka.server:type=socket-server-metrics,listener=L,networkProcessor=N successful-authentication-total | Later: TLS and SASL. | Connections that authenticated.
kafka_server_socketservermetrics_failed_authentication_total | counter | listener,networkProcessor | | kafka.server:type=socket-server-metrics,listener=L,networkProcessor=N failed-authentication-total | Later: TLS and SASL. | Connections that failed to authenticate.
kafka_server_delayedoperationpurgatory_purgatorysize | gauge | delayedOperation | | kafka.server:type=DelayedOperationPurgatory,name=PurgatorySize,delayedOperation=O | Requests that wait, counted once per partition they wait on.
kafka_server_delayedoperationpurgatory_numdelayedoperations | gauge | delayedOperation | | kafka.server:type=DelayedOperationPurgatory,name=NumDelayedOperations,delayedOperation=O | Requests that wait.
kafka_server_delayedfetchmetrics_expires_total | counter | fetcherType | | kafka.server:type=DelayedFetchMetrics,name=ExpiresPerSec,fetcherType=consumer | Fetches that waited their full time: consumer or follower.
kafka_server_fetchsessioncache_incrementalfetchsessionevictions_total | counter |  | | kafka.server:type=FetchSessionCache,name=IncrementalFetchSessionEvictionsPerSec | Fetch sessions dropped for newer ones.
kafka_server_fetchsessioncache_numincrementalfetchsessions | gauge |  | | kafka.server:type=FetchSessionCache,name=NumIncrementalFetchSessions | Fetch sessions.
kafka_server_fetchsessioncache_numincrementalfetchpartitionscached | gauge |  | | kafka.server:type=FetchSessionCache,name=NumIncrementalFetchPartitionsCached | Partitions in fetch sessions.
kafka_server_kafkaserver_brokerstate | gauge |  | | kafka.server:type=KafkaServer,name=BrokerState | 1 starting, 2 recovering, 3 running, 6 controlled shutdown, 7 stopping.
kafka_server_kafkaserver_info | gauge | clusterId,version | | kafka.server:type=KafkaServer,name=ClusterId | Always 1; the labels tell the cluster's id and Ottla's version.
kafka_server_kafkaserver_linux_disk_read_bytes | gauge |  | | kafka.server:type=KafkaServer,name=linux-disk-read-bytes | Bytes that this process had read from disks.
kafka_server_kafkaserver_linux_disk_write_bytes | gauge |  | | kafka.server:type=KafkaServer,name=linux-disk-write-bytes | Bytes that this process had written to disks.
kafka_server_appinfo_starttimems | gauge |  | | kafka.server:type=app-info | When this broker started, in milliseconds since 1970.
"""
