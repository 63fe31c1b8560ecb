"""`.kafka_cleanshutdown`: the promise that all of a log directory was synced and checkpointed before the last stop.

    {"version":0,"brokerEpoch":123}

Written last of all on a stop, and removed, durably, before anything is loaded: a broker that dies while it loads, or
a second later, must not find the promise of the stop before.
"""

import json
import os

from ottla.disk.atomic_file import read_whole, write_atomically
from ottla.disk.directory import LogDirectory

FILE_NAME = ".kafka_cleanshutdown"


def write_marker(directory: LogDirectory, broker_epoch: int) -> None:
    content = json.dumps({"version": 0, "brokerEpoch": broker_epoch}, separators=(",", ":")).encode()
    write_atomically(directory, os.path.join(directory.path, FILE_NAME), content)


def take_marker(directory: LogDirectory) -> bool:
    """Whether the last stop was clean; removes the promise. An empty marker, of an old Kafka, counts as well."""
    path = os.path.join(directory.path, FILE_NAME)
    if read_whole(directory, path) is None:
        return False
    directory.unlink(path)
    directory.sync_directory(directory.path)
    return True
