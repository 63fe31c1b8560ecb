"""Small files that are replaced whole or not at all: checkpoints, `partition.metadata`, `meta.properties`.

The order is the whole point: write a temporary file, sync it, rename it over the old one, sync the directory. After a
power cut at any moment the name shows the old content or the new one, never a part. A `.tmp` that is left over is
nobody's and is overwritten by the next write.
"""

import os

from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile

TEMPORARY_SUFFIX = ".tmp"


def write_atomically(directory: LogDirectory, path: str, content: bytes) -> None:
    """Replace the content of `path`. Blocks for two syncs."""
    file = LogFile.create(path + TEMPORARY_SUFFIX, directory)
    try:
        file.append(content)
        file.sync()
        file.rename(path)
    finally:
        file.close()
    directory.sync_directory(os.path.dirname(path))


def read_whole(directory: LogDirectory, path: str) -> bytes | None:
    """The content, or None when there is no such file."""
    try:
        descriptor = directory.with_descriptor(lambda: directory.disk.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise directory.storage_error(error) from error
    try:
        return directory.disk.pread(descriptor, directory.disk.size(descriptor), 0)
    except OSError as error:
        raise directory.storage_error(error, path) from error
    finally:
        directory.disk.close(descriptor)
