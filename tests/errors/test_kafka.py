"""Every protocol error code has one exception class, and the code finds it again."""

import pytest

from ottla.errors import ErrorCode, error_for_code


@pytest.mark.parametrize("code", [code for code in ErrorCode if code != ErrorCode.NONE])
def test_every_code_has_its_class(code: ErrorCode) -> None:
    assert error_for_code(code).code == code


def test_unknown_code_is_an_unknown_server_error_that_names_it() -> None:
    error = error_for_code(9999)
    assert error.code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert "9999" in str(error)
