"""A whole cluster in one process, from one seed: the same seed runs the same events in the same order.

virtual_loop    an event loop whose clock jumps to the next timer
process         a process within it: can be paused and killed at any event
network         connections between processes: delays, cuts in one direction or both, resets
brokers         brokers made of the parts that the real one is made of, on a disk that can lose what was not synced
clients         producers and consumers, and what they were told
auditor         the invariants, looked at after every event
faults          what goes wrong, and when
simulation      one run of a seed; `python -m simulation --seeds 7` replays one
seeded_bugs     bugs that Kafka had, put back in: each must be caught
"""
