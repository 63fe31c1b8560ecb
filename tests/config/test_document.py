from pathlib import Path

from ottla.config.document import document

PAGE = Path(__file__).parent.parent.parent / "docs" / "configuration.md"


def test_the_page_of_keys_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == document(), (
        "run: python -m ottla.config.document > docs/configuration.md"
    )
