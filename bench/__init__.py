"""Ottla beside warm Apache Kafka 4.3.0: `make bench`, `make bench QUICK=1`, `make bench CASES="one-record latency"`.

`make bench AGAINST=REV` measures an earlier commit in Kafka's place: nothing may be worse than before.

    __main__            the command line
    rounds              which broker is measured when: a discarded pass, then alternating rounds
    warm_up             load for Kafka's compiler before anything is measured
    brokers             Kafka and Ottla as processes in folders of their own, on loopback
    earlier             an earlier commit of Ottla in Kafka's place
    clusters            three brokers and a ZooKeeper, for the cases of a cluster
    processes           CPU and memory of a process and its children; what a measured stretch has cost
    driver              runs a client in a process of its own, so that its CPU is seen apart
    drivers_confluent   the client of most cases: librdkafka
    drivers_clients     Ottla's own clients and their peers, for the cases that compare clients
    raw_driver          a bare socket with frames that were built before, where a client would be the limit
    idle_driver         thousands of sockets that wait for records
    frames              those frames
    bare_sendfile       what the kernel alone needs to send a file, the yardstick of large fetches
    topics              topics made and deleted around a measurement
    cases/              what is measured, one file per subject
    measures            what a case reports and what it must show
    report, picture     the table, build/bench/*.json, docs/benchmarks.md, .svg and .json

Nothing here is timed by a test: a benchmark on a busy machine says little. Each row is the median of its rounds, with
the spread beside it. Broker CPU counts all threads and children. `record_kernels` stands alone.
"""
