import pytest

from support.connections import sendable_files


@pytest.fixture
def sendable_file(tmp_path):
    with sendable_files(tmp_path) as make:
        yield make
