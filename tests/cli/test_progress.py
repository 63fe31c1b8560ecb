"""The progress bar: on a terminal, and where there is something to do."""

import io

import pytest

from ottla.cli.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, length: int | None) -> str:
    """What a terminal shows of work of this length."""
    terminal = Terminal()
    with monkeypatch.context() as patch:
        patch.setattr("sys.stderr", terminal)
        with progress(length, "loading") as bar:
            bar.update(length or 0)
    return terminal.getvalue()


@pytest.mark.parametrize("length", [0, None])
def test_nothing_to_do_shows_nothing(length: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ottla load --continuous` asks every few seconds."""
    assert shown(monkeypatch, length) == ""


def test_work_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "100%" in shown(monkeypatch, 10)


def test_nobody_watching_sees_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(10, "loading") as bar:
        bar.update(10)
    assert capsys.readouterr().err == ""
