"""The admin client.

calls        asking the controller, retrying: what the parts share
topics       topics
configs      configurations of topics and brokers
groups       groups and their offsets
partitions   partitions and replicas
quotas       client quotas (KIP-546)
outcomes     for each thing asked about a result or an error
types        what the calls take and give
async_admin  the admin client on asyncio
admin        the admin client, synchronous
"""
