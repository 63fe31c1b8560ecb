"""`make demo`: two hours of a web shop's activity in two minutes, from browsers to tables, on this machine alone.

    activity   the events: who looks at what, when, and when it arrives
    feed       sends them, a simulated minute in a tenth of a second
    session    the Spark session of the demo
    jobs       the Spark jobs: parse, count by window, find sessions
    chart      pictures of the counts: in the terminal, and as SVG
    report     what is printed at the end, read back from topics and tables
    __main__   the steps, one after the other

    browsers ──► topic activity ──► Spark ──► topic page-counts, Delta table page-counts
                       │              └─────► topic sessions
                       └─► ottla load ──► Parquet

Everything lies in one folder, data/demo unless told otherwise, and stays there to be looked at.
"""
