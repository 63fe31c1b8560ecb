from collections.abc import Callable, Iterator

import pytest

from support.connections import SendableFile


@pytest.fixture
def sendable_file(tmp_path) -> Iterator[Callable[[bytes], SendableFile]]:
    made: list[SendableFile] = []

    def make(data: bytes) -> SendableFile:
        path = tmp_path / f"{len(made)}.log"
        path.write_bytes(data)
        made.append(SendableFile(path, len(data)))
        return made[-1]

    yield make
    for sendable in made:
        sendable.release()
