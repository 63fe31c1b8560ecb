"""An ext4 file system in a file, mounted through a loop device: its power can be cut. Needs root."""

import contextlib
import fcntl
import os
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.peers import absent, require_command

EXT4_IOC_SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = struct.pack("I", 2)
IMAGE_BYTES = 512 << 20


class FlashDisk:
    """An ext4 file system in a file, whose power can be cut."""

    def __init__(self, directory: Path, size_bytes: int) -> None:
        self._image = directory / "disk.img"
        self.mount_point = directory / "disk"
        self.mount_point.mkdir()
        with self._image.open("wb") as image:
            image.truncate(size_bytes)
        _run(require_command("mkfs.ext4"), "-q", "-F", str(self._image))

    def mount(self) -> None:
        """`commit=1000`: the kernel writes nothing back by itself, so that a missing fsync shows."""
        _run("mount", "-o", "loop,commit=1000", str(self._image), str(self.mount_point))

    def cut_power(self) -> None:
        directory = os.open(self.mount_point, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(directory, EXT4_IOC_SHUTDOWN, NO_LOG_FLUSH)
        finally:
            os.close(directory)

    def unmount(self) -> None:
        _run("umount", str(self.mount_point))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {done.stderr}")


@contextmanager
def flash_disk(directory: Path, size_bytes: int = IMAGE_BYTES) -> Iterator[FlashDisk]:
    """Mounted for the length of the block."""
    if os.geteuid() != 0:
        absent("root, who can mount,")
    made = FlashDisk(directory, size_bytes)
    try:
        made.mount()
    except OSError as error:
        absent(f"a loop mount ({error})")
    try:
        yield made
    finally:
        with contextlib.suppress(OSError):
            made.unmount()
