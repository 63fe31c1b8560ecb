"""Rows in every form: CSV that any reader takes back, whatever is in a value."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.cli.output import Format, print_rows

CELLS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('",\r\n;\t '))


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2)))
def test_any_text_comes_back_from_csv(rows: list[list[str]]) -> None:
    out = io.StringIO(newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", out)
        print_rows(Format.CSV, ["a", "b"], rows)
    assert list(csv.reader(io.StringIO(out.getvalue(), newline=""))) == [["a", "b"], *rows]
