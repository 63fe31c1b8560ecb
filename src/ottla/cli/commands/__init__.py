"""The commands of `ottla`, one file each, imported when they are called.

start      a broker
zookeeper  a ZooKeeper server of its own
produce    lines as records
consume    the records of topics
load       topics into tables, with Spark
topics     list, create, describe, alter, delete topics
groups     list, describe, reset, delete consumer groups
configs    show and change configurations
brokers    the brokers and what lies on them
cluster    the cluster at a glance
offsets    first and next offsets of partitions
records    delete records before an offset
leaders    elect leaders
perf       how fast a cluster is
spark      what Spark's executors need
log        log directories and segment files
"""
