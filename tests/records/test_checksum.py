import subprocess
import sys

import pytest

from ottla.records import checksum
from ottla.records.checksum import crc32c


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def test_the_checksum_is_castagnolis() -> None:
    assert crc32c(b"123456789") == 0xE3069283


def test_a_checksum_goes_on_where_another_ended() -> None:
    assert crc32c(b"6789", crc32c(b"12345")) == crc32c(b"123456789")


def test_the_extension_is_loaded_without_its_package() -> None:
    program = "import ottla.records.checksum, sys; print('crc32c' in sys.modules, 'importlib.metadata' in sys.modules)"
    assert run(program) == "False False"


def test_the_package_can_still_be_imported_afterwards() -> None:
    program = "from ottla.records.checksum import crc32c; import crc32c as package; print(package.crc32c is crc32c)"
    assert run(program) == "True"


def test_the_package_is_imported_where_its_extension_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "crc32c._crc32c")
    monkeypatch.setattr(checksum, "_load_alone", lambda: None)
    assert checksum.load_extension().__name__ == "crc32c"
