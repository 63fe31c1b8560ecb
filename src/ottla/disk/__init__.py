"""Step 7, the bottom of the path: the only package that touches log files.

    system_disk    `Disk`: every system call on log files, as a parameter; tests and the simulation pass their own
    directory      `LogDirectory`: a path, its Disk and descriptors; durable renames; what an OSError means
    handle_cache   at most N open descriptors, the rest reopened when they are wanted
    log_file       `LogFile`: append, read, truncate and sync one file; a failed append leaves it as it was
    file_slice     a range of a LogFile that the transport sends with sendfile
    sendable       what the transport can send besides bytes
    reservation    room on the disk for what will be appended
    page_cache     bytes brought into the page cache
    read_ahead     the thread per log directory that does it
    atomic_file    small files that are replaced whole or not at all

Nothing here knows what a record is. Nothing here suspends; what may block on a slow disk says so.
"""
