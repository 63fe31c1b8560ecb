"""Step 7, the bottom of the path: the only package that touches log files.

    system_disk   the system calls on log files, as one object that is passed in
    directory     one log directory
    handle_cache  a bound on open descriptors
    log_file      one file of a log
    sendable      what the transport can send besides bytes
    file_slice    a range of a log file on its way to a socket
    page_cache    bytes of a file brought into the page cache, and nowhere else
    read_ahead    cold reads off the event loop
    atomic_file   small files that are replaced whole or not at all
    reservation   room on the disk for what will be appended, taken ahead and in large pieces

Nothing here knows what a record is. Nothing here suspends; what may block on a slow disk says so.
"""
