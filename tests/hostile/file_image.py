"""All files below some directories, kept in memory: what is damaged in one round is as it was for the next."""

import shutil
from collections.abc import Sequence
from pathlib import Path


class FileImage:
    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = roots
        self.files = {path: path.read_bytes() for path in self._present() if path.is_file()}

    def restore(self) -> None:
        """A file that is there keeps its inode."""
        for path in self._present():
            if path.is_dir() and (path in self.files or not any(path in file.parents for file in self.files)):
                shutil.rmtree(path)
            elif path.is_file() and path not in self.files:
                path.unlink()
        for path, data in self.files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_file() or path.read_bytes() != data:
                path.write_bytes(data)

    def _present(self) -> list[Path]:
        """Directories after what is in them."""
        return sorted((path for root in self._roots for path in root.rglob("*")), reverse=True)
