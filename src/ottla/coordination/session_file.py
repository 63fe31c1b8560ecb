"""The id and password of the broker's ZooKeeper session, kept in its log directory.

A broker that was killed leaves /brokers/ids/N behind until its session expires, and may not register meanwhile. With
this file the next process takes the old session up again and closes it, so it can register at once. Only the process
that holds the log directory's lock reads or writes it.

    {"version":1,"session_id":"0x1000a3b5c0f0001","password":"<hex>","inode":1234}

`inode` is the file's own: a copied log directory does not bring the right to end the session of the broker that it was
copied from. Unless the server is the embedded one of this very process: nobody else can live by a session that was
opened by a broker on these directories, so copies (a restored backup) are believed too.

The file is fsynced, since the session outlives a power cut on the server's disk: without its identity a broker that
comes back would be refused until the session expires. One that is garbled all the same is ignored.
"""

import contextlib
import json
import os
from typing import NamedTuple

from ottla.disk.system_disk import SYSTEM_DISK

FILE_NAME = "zookeeper-session"


class SessionIdentity(NamedTuple):
    session_id: int
    password: bytes


class SessionFile:
    __slots__ = ("_trust_copies", "path")

    def __init__(self, directory: str, *, trust_copies: bool = False) -> None:
        self.path = os.path.join(directory, FILE_NAME)
        self._trust_copies = trust_copies

    def load(self) -> SessionIdentity | None:
        """The session of the process before us, or None when there is none that is ours to end."""
        try:
            with open(self.path, "rb") as file:
                fields = json.load(file)
                if fields["inode"] != os.fstat(file.fileno()).st_ino and not self._trust_copies:
                    return None
            return SessionIdentity(int(fields["session_id"], 16), bytes.fromhex(fields["password"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, identity: SessionIdentity) -> None:
        """Replace the file in one step; readable by its owner alone, since the password is in it."""
        temporary = f"{self.path}.tmp"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(self._fields(identity, os.fstat(descriptor).st_ino), file)
            file.flush()
            os.fsync(descriptor)
        os.rename(temporary, self.path)
        SYSTEM_DISK.sync_directory(os.path.dirname(self.path))

    def remove(self) -> None:
        """What cannot be removed does no harm: the session that it names has ended."""
        with contextlib.suppress(OSError):
            os.unlink(self.path)

    @staticmethod
    def _fields(identity: SessionIdentity, inode: int) -> dict[str, object]:
        return {
            "version": 1,
            "session_id": hex(identity.session_id),
            "password": identity.password.hex(),
            "inode": inode,
        }
