"""The admin client.

calls                          asking the controller, retrying: what the parts share
topics, configs, groups,       the parts: one file per family of requests
partitions, quotas
outcomes                       for each thing asked about a result or an error
types                          what the calls take and give
async_admin, admin             the two faces
"""
