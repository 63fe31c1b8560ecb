"""Fetch as one pipeline: plan, read, wait, deliver.

handler      the handler of Fetch requests: the four steps in their order
plan         the session, the limits and the partitions of a request
wait         a fetch from its first read to its response: it counts what its partitions gain, and reads again
deliver      records made ready to leave: read from the disk, converted for old clients, or refused
refusals     every refusal that depends on the version, the codec or the record format
cold_reads   records that are not in the page cache are brought in first, and ahead of who reads in order
responses    the response, packed where there is one partition with nothing but records

The second step is `replication.fetch_reader`: it reads partitions in order, within the limits, and gives a
`PartitionRead` for each. Only `responses` makes messages of these.
"""
