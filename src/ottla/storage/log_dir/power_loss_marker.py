"""`.ottla_whole`: whether a log directory still has everything that was ever written to it.

    {"version":0,"bootId":"3f0c…"}    it was intact, in a run of the operating system of this id
    {"version":0,"bootId":null}       it may lack records, and the controller has not been told yet

A killed process loses nothing: what it wrote is in the page cache, and the next process reads it there. A power cut, a
crashed kernel or a new disk do lose: what was not synced is gone, acknowledged or not (other replicas have it). The two
are told apart by the boot id of the operating system. What follows from each start:

    clean stop marker    boot id                       intact
    yes                  any, or no file (Kafka's)     yes
    no                   this boot's                   yes
    no                   another's, or no file         no
    any                  null                          no: the start before found it so, and nobody was told

A broker that may lack records tells the controller, which takes it out of the ISRs before anybody can elect it
(`controller.plans.plan_without_lacking`). Then it is marked intact (`mark_intact`): what it lacks it fetches from its
leaders.
"""

import json
import os
import uuid

from ottla.disk.atomic_file import read_whole, write_atomically
from ottla.disk.directory import LogDirectory

FILE_NAME = ".ottla_whole"
_BOOT_ID = "/proc/sys/kernel/random/boot_id"


def system_boot_id() -> str:
    """Another one each time that the operating system starts. Where it cannot be had every crash counts as one."""
    try:
        with open(_BOOT_ID, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return str(uuid.uuid4())


def was_ours(directory: LogDirectory) -> bool:
    """Whether a broker of Ottla's has run on the directory before. To be asked before `read_marker`."""
    return read_whole(directory, _path(directory)) is not None


def read_marker(directory: LogDirectory, *, was_clean: bool, boot_id: str) -> bool:
    """Whether the directory is intact, at the start of the broker; what is found is on disk when this returns."""
    found = read_whole(directory, _path(directory))
    intact = _is_intact(found, was_clean=was_clean, boot_id=boot_id)
    _write(directory, boot_id if intact else None, found)
    return intact


def mark_intact(directory: LogDirectory, boot_id: str) -> None:
    """The controller knows what this directory may have lost. Blocks."""
    _write(directory, boot_id, None)


def _is_intact(found: bytes | None, *, was_clean: bool, boot_id: str) -> bool:
    if found is None:
        return was_clean
    try:
        kept = json.loads(found)["bootId"]
    except (ValueError, KeyError, TypeError):
        return False
    return kept is not None and (was_clean or kept == boot_id)


def _write(directory: LogDirectory, boot_id: str | None, found: bytes | None) -> None:
    content = json.dumps({"version": 0, "bootId": boot_id}, separators=(",", ":")).encode()
    if content != found:
        write_atomically(directory, _path(directory), content)


def _path(directory: LogDirectory) -> str:
    return os.path.join(directory.path, FILE_NAME)
