"""A broker's log directory that survives the process, and can lose what was not synced when it is killed."""

import os
import random
import shutil
from pathlib import Path

from support.disks import RecordingDisk
from support.power_cut import PowerCut, _File


class SurvivingDisk:
    def __init__(self, directory: Path, chance: random.Random) -> None:
        self.directory = directory
        self.recording = RecordingDisk()
        self._chance = chance
        self._durable = PowerCut()
        self.power_cuts = 0

    def process_killed(self, *, power_cut: bool) -> None:
        """The files stay as they were written; after a power cut only what was synced is sure to be there."""
        self._durable.replay(self.recording.trace)
        self.recording = RecordingDisk()
        if power_cut:
            self.power_cuts += 1
            self._lose_unsynced()

    def _lose_unsynced(self) -> None:
        files = self._durable.files(self._chance.randrange)
        directories = {os.path.dirname(path) for path in files}
        for partition in self.directory.iterdir():
            if partition.is_dir():
                shutil.rmtree(partition)
            else:
                partition.unlink()
        self._durable = PowerCut()
        for directory in directories:
            os.makedirs(directory, exist_ok=True)
        for path, content in files.items():
            Path(path).write_bytes(content)
            file = _File()
            file.content, file.synced = bytearray(content), content
            self._durable._names[path] = self._durable._synced_names[path] = file
