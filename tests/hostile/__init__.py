"""Somebody who means harm, a disk that rots, a hand that slips: what brokers withstand, in rounds made from a seed.

    test_requests           a broker and any request: every API that is served, every version, something wrong in each
    test_files              a broker and its data directory, one file damaged in each round
    test_znodes             a broker and garbage in the znodes that it reads
    test_cluster_requests   three brokers, any request, forged ones of their followers and their controller
    test_replica_files      three brokers, one replica's files damaged while its broker is down

    requests, stranger, known_state, listeners      what is sent, by whom, about what, to where
    forged_followers, forged_controllers            requests of who is no broker and says so
    damage, file_image                              what is damaged, and put back
    stored_records, batches, replica_files          what was stored, and must be served
    znode_garbage                                   what is written into which znode
    kept_records, places                            what somebody else has, who is to be asked for it
    well_being                                      how a broker must be
    rounds                                          seed, number of rounds, one round again

`make test` runs a few rounds of each, `make test-long` thousands. Other ones, more of them, and one again:

    make test-long ARGS="tests/hostile -k files --hostile-seed=7 --hostile-rounds=2000"
    make test-long ARGS="tests/hostile -k damage_after_a_clean_stop --hostile-seed=7 --hostile-round=131"

What failed says with which options it is had again. Rounds of files and znodes stand alone: any one can be done again
by its number. Requests build on each other: there the same seed is sent again from the first request on, and
`--hostile-rounds` says where to end.

What is judged is what must hold of any broker: it serves others meanwhile, gives no wrong bytes for right ones, loses
nothing that was acknowledged and is not itself damaged, names what keeps it from starting, shows no bug of ours (a
traceback), neither spins nor swells, and ends when it is told to.
"""
