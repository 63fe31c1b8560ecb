"""Replicas, the controller, the coordinators, quotas and ZooKeeper."""

METRICS = """
kafka_server_replicamanager_partitioncount | gauge |  | | kafka.server:type=ReplicaManager,name=PartitionCount
    Replicas on this broker.
kafka_server_replicamanager_leadercount | gauge |  | | kafka.server:type=ReplicaManager,name=LeaderCount
    Partitions that this broker leads.
kafka_server_replicamanager_underreplicatedpartitions | gauge |  | | kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions
    Led partitions with replicas out of sync; alert when not 0.
kafka_server_replicamanager_underminisrpartitioncount | gauge |  | | kafka.server:type=ReplicaManager,name=UnderMinIsrPartitionCount
    Led partitions with fewer replicas in sync than min.insync.replicas.
kafka_server_replicamanager_atminisrpartitioncount | gauge |  | | kafka.server:type=ReplicaManager,name=AtMinIsrPartitionCount
    Led partitions with exactly min.insync.replicas in sync.
kafka_server_replicamanager_offlinereplicacount | gauge |  | | kafka.server:type=ReplicaManager,name=OfflineReplicaCount
    Replicas in failed log directories.
kafka_server_replicamanager_reassigningpartitions | gauge |  | | kafka.server:type=ReplicaManager,name=ReassigningPartitions | Later: reassignment.
    Led partitions that are being reassigned.
kafka_server_replicamanager_produceridcount | gauge |  | | kafka.server:type=ReplicaManager,name=ProducerIdCount
    Producer ids that this broker remembers.
kafka_server_replicamanager_partitionswithlatetransactionscount | gauge |  | | kafka.server:type=ReplicaManager,name=PartitionsWithLateTransactionsCount | Later: transactions.
    Partitions with a transaction open past its timeout.
kafka_server_replicamanager_isrshrinks_total | counter |  | | kafka.server:type=ReplicaManager,name=IsrShrinksPerSec
    Times that a replica left an ISR.
kafka_server_replicamanager_isrexpands_total | counter |  | | kafka.server:type=ReplicaManager,name=IsrExpandsPerSec
    Times that a replica joined an ISR.
kafka_server_replicamanager_failedisrupdates_total | counter |  | | kafka.server:type=ReplicaManager,name=FailedIsrUpdatesPerSec
    Changes of an ISR that were refused.
kafka_cluster_partition_underreplicated | gauge | topic,partition | | kafka.cluster:type=Partition,name=UnderReplicated,topic=T,partition=P
    1 where a led partition has replicas out of sync.
kafka_cluster_partition_underminisr | gauge | topic,partition | | kafka.cluster:type=Partition,name=UnderMinIsr,topic=T,partition=P
    1 where a led partition has too few replicas in sync.
kafka_cluster_partition_atminisr | gauge | topic,partition | | kafka.cluster:type=Partition,name=AtMinIsr,topic=T,partition=P
    1 where a led partition has just enough replicas in sync.
kafka_cluster_partition_insyncreplicascount | gauge | topic,partition | | kafka.cluster:type=Partition,name=InSyncReplicasCount,topic=T,partition=P
    Replicas in sync of a led partition.
kafka_cluster_partition_replicascount | gauge | topic,partition | | kafka.cluster:type=Partition,name=ReplicasCount,topic=T,partition=P
    Replicas of a led partition.
kafka_cluster_partition_laststableoffsetlag | gauge | topic,partition | | kafka.cluster:type=Partition,name=LastStableOffsetLag,topic=T,partition=P | Later: transactions.
    Records between the last stable offset and the high watermark.
kafka_server_replicafetchermanager_maxlag | gauge | clientId | | kafka.server:type=ReplicaFetcherManager,name=MaxLag,clientId=Replica
    Most records that a replica here is behind its leader.
kafka_server_replicafetchermanager_minfetchrate | gauge | clientId | | kafka.server:type=ReplicaFetcherManager,name=MinFetchRate,clientId=Replica | Later: replication between brokers.
    Slowest rate of fetch requests to a leader.
kafka_server_replicafetchermanager_failedpartitionscount | gauge | clientId | | kafka.server:type=ReplicaFetcherManager,name=FailedPartitionsCount,clientId=Replica
    Replicas here that cannot be fetched.
kafka_server_replicafetchermanager_deadthreadcount | gauge | clientId | | kafka.server:type=ReplicaFetcherManager,name=DeadThreadCount,clientId=Replica | Later: replication between brokers.
    Fetchers that died.
kafka_server_fetcherlagmetrics_consumerlag | gauge | clientId,topic,partition | | kafka.server:type=FetcherLagMetrics,name=ConsumerLag,clientId=C,topic=T,partition=P
    Records that a replica here is behind its leader.
kafka_server_replicaalterlogdirsmanager_maxlag | gauge | clientId | | kafka.server:type=ReplicaAlterLogDirsManager,name=MaxLag,clientId=ReplicaAlterLogDirs | Later: moving replicas between directories.
    Most records that a moving replica is behind.
kafka_server_replicaalterlogdirsmanager_minfetchrate | gauge | clientId | | kafka.server:type=ReplicaAlterLogDirsManager,name=MinFetchRate,clientId=ReplicaAlterLogDirs | Later: moving replicas between directories.
    Slowest rate at which a moving replica is copied.
kafka_server_replicaalterlogdirsmanager_failedpartitionscount | gauge | clientId | | kafka.server:type=ReplicaAlterLogDirsManager,name=FailedPartitionsCount,clientId=ReplicaAlterLogDirs | Later: moving replicas between directories.
    Replicas that cannot be moved.
kafka_server_replicaalterlogdirsmanager_deadthreadcount | gauge | clientId | | kafka.server:type=ReplicaAlterLogDirsManager,name=DeadThreadCount,clientId=ReplicaAlterLogDirs | Later: moving replicas between directories.
    Movers that died.
kafka_controller_kafkacontroller_activecontrollercount | gauge |  | | kafka.controller:type=KafkaController,name=ActiveControllerCount
    1 where this broker is the controller; the cluster's sum is 1.
kafka_controller_kafkacontroller_offlinepartitionscount | gauge |  | | kafka.controller:type=KafkaController,name=OfflinePartitionsCount
    Partitions without a leader, on the controller; alert when not 0.
kafka_controller_kafkacontroller_preferredreplicaimbalancecount | gauge |  | | kafka.controller:type=KafkaController,name=PreferredReplicaImbalanceCount
    Partitions not led by their preferred replica.
kafka_controller_kafkacontroller_controllerstate | gauge |  | | kafka.controller:type=KafkaController,name=ControllerState | Later: replication between brokers.
    What the controller is doing; 0 is idle.
kafka_controller_kafkacontroller_globaltopiccount | gauge |  | | kafka.controller:type=KafkaController,name=GlobalTopicCount
    Topics of the cluster, on the controller.
kafka_controller_kafkacontroller_globalpartitioncount | gauge |  | | kafka.controller:type=KafkaController,name=GlobalPartitionCount
    Partitions of the cluster, on the controller.
kafka_controller_kafkacontroller_activebrokercount | gauge |  | | kafka.controller:type=KafkaController,name=ActiveBrokerCount
    Live brokers, on the controller.
kafka_controller_kafkacontroller_fencedbrokercount | gauge |  | | kafka.controller:type=KafkaController,name=FencedBrokerCount | Later: replication between brokers.
    Brokers that are registered and not live.
kafka_controller_kafkacontroller_topicstodeletecount | gauge |  | | kafka.controller:type=KafkaController,name=TopicsToDeleteCount
    Topics that are being deleted.
kafka_controller_kafkacontroller_replicastodeletecount | gauge |  | | kafka.controller:type=KafkaController,name=ReplicasToDeleteCount | Later: replication between brokers.
    Replicas that are being deleted.
kafka_controller_kafkacontroller_topicsineligibletodeletecount | gauge |  | | kafka.controller:type=KafkaController,name=TopicsIneligibleToDeleteCount | Later: replication between brokers.
    Topics whose deletion has to wait.
kafka_controller_kafkacontroller_replicasineligibletodeletecount | gauge |  | | kafka.controller:type=KafkaController,name=ReplicasIneligibleToDeleteCount | Later: replication between brokers.
    Replicas whose deletion has to wait.
kafka_server_metadataloader_currentcontrollerid | gauge |  | | kafka.server:type=MetadataLoader,name=CurrentControllerId
    The broker that is the controller, -1 when there is none.
kafka_controller_controllerstats_uncleanleaderelections_total | counter |  | | kafka.controller:type=ControllerStats,name=UncleanLeaderElectionsPerSec
    Elections of a leader that was out of sync; data may be lost.
kafka_controller_controllerstats_leaderelectionrateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=LeaderElectionRateAndTimeMs
    Milliseconds that the controller took for electing leaders; the count is how often.
kafka_controller_controllerstats_autoleaderbalancerateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=AutoLeaderBalanceRateAndTimeMs | Later: replication between brokers.
    Milliseconds that the controller took for giving leadership back to preferred replicas; the count is how often.
kafka_controller_controllerstats_controlledshutdownrateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=ControlledShutdownRateAndTimeMs | Later: replication between brokers.
    Milliseconds that the controller took for moving leaders off a stopping broker; the count is how often.
kafka_controller_controllerstats_controllerchangerateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=ControllerChangeRateAndTimeMs | Later: replication between brokers.
    Milliseconds that the controller took for becoming the controller; the count is how often.
kafka_controller_controllerstats_controllershutdownrateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=ControllerShutdownRateAndTimeMs | Later: replication between brokers.
    Milliseconds that the controller took for ceasing to be the controller; the count is how often.
kafka_controller_controllerstats_isrchangerateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=IsrChangeRateAndTimeMs | Later: replication between brokers.
    Milliseconds that the controller took for taking in changed ISRs; the count is how often.
kafka_controller_controllerstats_leaderandisrresponsereceivedrateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=LeaderAndIsrResponseReceivedRateAndTimeMs | Later: replication between brokers.
    Milliseconds that the controller took for taking in answers of brokers; the count is how often.
kafka_controller_controllerstats_listpartitionreassignmentrateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=ListPartitionReassignmentRateAndTimeMs | Later: reassignment.
    Milliseconds that the controller took for listing reassignments; the count is how often.
kafka_controller_controllerstats_logdirchangerateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=LogDirChangeRateAndTimeMs | Later: replication between brokers.
    Milliseconds that the controller took for taking in failed log directories; the count is how often.
kafka_controller_controllerstats_manualleaderbalancerateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=ManualLeaderBalanceRateAndTimeMs | Later: replication between brokers.
    Milliseconds that the controller took for electing leaders on request; the count is how often.
kafka_controller_controllerstats_partitionreassignmentrateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=PartitionReassignmentRateAndTimeMs | Later: reassignment.
    Milliseconds that the controller took for reassigning partitions; the count is how often.
kafka_controller_controllerstats_topicchangerateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=TopicChangeRateAndTimeMs | Later: replication between brokers.
    Milliseconds that the controller took for taking in new topics; the count is how often.
kafka_controller_controllerstats_topicdeletionrateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=TopicDeletionRateAndTimeMs | Later: replication between brokers.
    Milliseconds that the controller took for deleting topics; the count is how often.
kafka_controller_controllerstats_topicuncleanleaderelectionenablerateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=TopicUncleanLeaderElectionEnableRateAndTimeMs | Later: replication between brokers.
    Milliseconds that the controller took for taking in that a topic allows unclean election; the count is how often.
kafka_controller_controllerstats_uncleanleaderelectionenablerateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=UncleanLeaderElectionEnableRateAndTimeMs | Later: replication between brokers.
    Milliseconds that the controller took for taking in that brokers allow unclean election; the count is how often.
kafka_controller_controllerstats_updatefeaturesrateandtimems | summary |  | ms | kafka.controller:type=ControllerStats,name=UpdateFeaturesRateAndTimeMs | Later: replication between brokers.
    Milliseconds that the controller took for updating features; the count is how often.
kafka_controller_controllereventmanager_eventqueuesize | gauge |  | | kafka.controller:type=ControllerEventManager,name=EventQueueSize
    Events that wait for the controller.
kafka_controller_controllereventmanager_eventqueuetimems | summary |  | ms | kafka.controller:type=ControllerEventManager,name=EventQueueTimeMs | Later: times of the event queue.
    Milliseconds that an event waited for the controller.
kafka_controller_controllerchannelmanager_totalqueuesize | gauge |  | | kafka.controller:type=ControllerChannelManager,name=TotalQueueSize | Later: replication between brokers.
    Requests of the controller that wait to be sent.
kafka_controller_controllerchannelmanager_queuesize | gauge | broker_id | | kafka.controller:type=ControllerChannelManager,name=QueueSize,broker-id=N | Later: replication between brokers.
    Requests of the controller that wait to be sent to one broker.
kafka_controller_controllerchannelmanager_requestrateandqueuetimems | summary | broker_id | ms | kafka.controller:type=ControllerChannelManager,name=RequestRateAndQueueTimeMs,broker-id=N | Later: replication between brokers.
    Milliseconds that requests of the controller waited to be sent.
kafka_coordinator_group_groupmetadatamanager_numgroups | gauge |  | | kafka.coordinator.group:type=GroupMetadataManager,name=NumGroups
    Groups that this broker coordinates.
kafka_coordinator_group_groupmetadatamanager_numgroupsstable | gauge |  | | kafka.coordinator.group:type=GroupMetadataManager,name=NumGroupsStable
    Groups coordinated here that have an assignment.
kafka_coordinator_group_groupmetadatamanager_numgroupsempty | gauge |  | | kafka.coordinator.group:type=GroupMetadataManager,name=NumGroupsEmpty
    Groups coordinated here without members.
kafka_coordinator_group_groupmetadatamanager_numgroupsdead | gauge |  | | kafka.coordinator.group:type=GroupMetadataManager,name=NumGroupsDead
    Groups coordinated here that are being removed.
kafka_coordinator_group_groupmetadatamanager_numgroupspreparingrebalance | gauge |  | | kafka.coordinator.group:type=GroupMetadataManager,name=NumGroupsPreparingRebalance
    Groups coordinated here that wait for members to join.
kafka_coordinator_group_groupmetadatamanager_numgroupscompletingrebalance | gauge |  | | kafka.coordinator.group:type=GroupMetadataManager,name=NumGroupsCompletingRebalance
    Groups coordinated here that wait for the assignment.
kafka_coordinator_group_groupmetadatamanager_numoffsets | gauge |  | | kafka.coordinator.group:type=GroupMetadataManager,name=NumOffsets
    Committed offsets.
kafka_server_groupcoordinatormetrics_offset_commit_count | counter |  | | kafka.server:type=group-coordinator-metrics offset-commit-count
    Offsets committed.
kafka_server_groupcoordinatormetrics_offset_expiration_count | counter |  | | kafka.server:type=group-coordinator-metrics offset-expiration-count
    Offsets expired.
kafka_server_groupcoordinatormetrics_offset_deletion_count | counter |  | | kafka.server:type=group-coordinator-metrics offset-deletion-count
    Offsets deleted on request.
kafka_server_groupcoordinatormetrics_group_completed_rebalance_count | counter |  | | kafka.server:type=group-coordinator-metrics group-completed-rebalance-count
    Rebalances completed.
kafka_server_groupcoordinatormetrics_partition_load_time_max | gauge |  | | kafka.server:type=group-coordinator-metrics partition-load-time-max
    Longest load of an offsets partition, in milliseconds.
kafka_coordinator_transaction_transactionmarkerchannelmanager_logappendretryqueuesize | gauge |  | | kafka.coordinator.transaction:type=TransactionMarkerChannelManager,name=LogAppendRetryQueueSize | Later: transactions.
    Transactions whose end has to be written again.
kafka_coordinator_transaction_transactionmarkerchannelmanager_unknowndestinationqueuesize | gauge |  | | kafka.coordinator.transaction:type=TransactionMarkerChannelManager,name=UnknownDestinationQueueSize | Later: transactions.
    Markers whose partition has no known leader.
kafka_server_transactioncoordinatormetrics_partition_load_time_max | gauge |  | | kafka.server:type=transaction-coordinator-metrics partition-load-time-max | Later: transactions.
    Longest load of a transactions partition, in milliseconds.
kafka_server_addpartitionstotxnmanager_verificationfailure_total | counter |  | | kafka.server:type=AddPartitionsToTxnManager,name=VerificationFailureRate | Later: transactions.
    Writes whose transaction did not know the partition.
kafka_server_addpartitionstotxnmanager_verificationtimems | summary |  | ms | kafka.server:type=AddPartitionsToTxnManager,name=VerificationTimeMs | Later: transactions.
    Milliseconds that asking the transaction's coordinator took.
kafka_server_quota_byte_rate | gauge | resource,user,clientId | | kafka.server:type=Produce | Later: quotas.
    Bytes per second under a quota, by resource: Produce or Fetch.
kafka_server_quota_throttle_time | gauge | resource,user,clientId | | kafka.server:type=Request,client-id=C | Later: quotas.
    Milliseconds that clients under a quota were told to wait.
kafka_server_quota_request_time | gauge | resource,user,clientId | | kafka.server:type=Request,user=ANONYMOUS | Later: quotas.
    Share of the event loop's time that clients under a quota took.
kafka_server_quota_mutation_rate | gauge | resource,user,clientId | | kafka.server:type=ControllerMutation,client-id=C | Later: quotas.
    Changes of partitions per second under a quota.
kafka_server_sessionexpirelistener_sessionstate | gauge |  | | kafka.server:type=SessionExpireListener,name=SessionState
    1 where the session with ZooKeeper is connected.
kafka_server_sessionexpirelistener_zookeepersyncconnects_total | counter |  | | kafka.server:type=SessionExpireListener,name=ZooKeeperSyncConnectsPerSec
    Connections to ZooKeeper made.
kafka_server_sessionexpirelistener_zookeeperdisconnects_total | counter |  | | kafka.server:type=SessionExpireListener,name=ZooKeeperDisconnectsPerSec
    Connections to ZooKeeper lost.
kafka_server_sessionexpirelistener_zookeeperexpires_total | counter |  | | kafka.server:type=SessionExpireListener,name=ZooKeeperExpiresPerSec
    Sessions with ZooKeeper lost.
kafka_server_sessionexpirelistener_zookeeperauthfailures_total | counter |  | | kafka.server:type=SessionExpireListener,name=ZooKeeperAuthFailuresPerSec | Later: security.
    Times that ZooKeeper refused our credentials.
kafka_server_sessionexpirelistener_zookeepersaslauthentications_total | counter |  | | kafka.server:type=SessionExpireListener,name=ZooKeeperSaslAuthenticationsPerSec | Later: security.
    Times that we authenticated to ZooKeeper.
kafka_server_zookeeperclientmetrics_zookeeperrequestlatencyms | summary |  | ms | kafka.server:type=ZooKeeperClientMetrics,name=ZooKeeperRequestLatencyMs
    Milliseconds that ZooKeeper took to answer.
"""
