"""What a broker says of itself when it starts."""

import pytest

from ottla.testing import EmbeddedBroker


def test_interpreted_kernels_are_warned_of_with_what_pip_needs(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ottla.broker.broker_telemetry.KERNELS_COMPILED", False)
    with EmbeddedBroker():
        pass
    (said,) = [record.getMessage() for record in caplog.records if "interpreted" in record.getMessage()]
    assert "C compiler" in said
    assert "pip install --force-reinstall" in said
