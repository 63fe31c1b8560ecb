"""The catalogue's tables by theme. Their form: `ottla.observability.catalogue`.

server    what goes through this broker: records, bytes, connections, requests that wait
requests  requests by API
log       the logs on disk
cluster   replicas, the controller, the coordinators, quotas and ZooKeeper
ottla     what Kafka has no MBean for
absent    the MBeans of Kafka that have no metric here, and why
"""
