"""The admin client.

admin        the synchronous face
async_admin  the asynchronous face
calls        asking the controller, retrying: what the parts share
topics       topics and their partitions
configs      configurations of topics and brokers
groups       groups and their offsets
partitions   offsets, records, reassignments, leaders, log directories
quotas       client quotas
outcomes     for each thing asked about a result or an error
types        what the calls take and give
"""
