"""What commands print: rows as a table for people, or as JSON, JSON lines or CSV for programs.

A value is the same in every form; only its dress differs. A list is joined with commas where there are no lists, and
nothing is `-` in a table, empty in CSV and null in JSON. Rows of JSON lines and CSV are printed as they come.
"""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any

import click


class Format(Enum):
    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


Row = Sequence[Any]


def print_rows(form: Format, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Rows under these column names; the names are the keys of the JSON objects."""
    _PRINTERS[form](columns, rows)


def print_objects(form: Format, columns: Sequence[str], objects: Iterable[dict[str, Any]]) -> None:
    """Things that need not all have the same fields. In a table or CSV what one has not is nothing; a table leaves out
    the columns that none of them has."""
    if form is Format.JSON:
        click.echo(json.dumps([_plain(one) for one in objects], indent=2, ensure_ascii=False))
    elif form is Format.JSONL:
        for one in objects:
            click.echo(json.dumps(_plain(one), ensure_ascii=False))
    else:
        if form is Format.TABLE:
            objects = list(objects)
            columns = [name for name in columns if any(name in one for one in objects)] or columns
        print_rows(form, columns, ([one.get(name) for name in columns] for one in objects))


def print_fields(form: Format, fields: dict[str, Any]) -> None:
    """One thing with its fields: a list of them for people, one object or row for programs."""
    if form is Format.TABLE:
        width = max(map(len, fields), default=0)
        for name, value in fields.items():
            click.echo(f"{click.style(name.ljust(width), bold=True)}  {_text(value, '-')}")
    elif form is Format.JSON:
        click.echo(json.dumps(_plain(fields), indent=2, ensure_ascii=False))
    else:
        print_rows(form, list(fields), [list(fields.values())])


def print_outcomes(form: Format, kind: str, outcomes: Iterable[tuple[str, str]], **more: Sequence[Any]) -> None:
    """What became of each thing of a kind: notes for people, rows for programs. `more` are columns between the two."""
    if form is Format.TABLE:
        for name, outcome in outcomes:
            note(f"{name}: {outcome}")
        return
    rows = [(name, *values, outcome) for (name, outcome), *values in zip(outcomes, *more.values(), strict=True)]
    print_rows(form, [kind, *more, "outcome"], rows)


def note(text: str) -> None:
    """What is said beside the result: to standard error, so that a pipe gets the result alone."""
    click.echo(text, err=True)


def _print_table(columns: Sequence[str], rows: Iterable[Row]) -> None:
    cells = [[_text(value, "-") for value in row] for row in rows]
    is_number = [bool(cells) and all(_is_number(row[column]) for row in cells) for column in range(len(columns))]
    widths = [max(len(name), *(len(row[column]) for row in cells), 0) for column, name in enumerate(columns)]

    def line(row: Sequence[str]) -> str:
        padded = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, is_number, strict=True)
        )
        return "  ".join(padded).rstrip()

    click.secho(line([name.upper().replace("_", "-") for name in columns]), bold=True)
    for row in cells:
        click.echo(line(row))


def _print_json(columns: Sequence[str], rows: Iterable[Row]) -> None:
    print_objects(Format.JSON, columns, (dict(zip(columns, row, strict=True)) for row in rows))


def _print_json_lines(columns: Sequence[str], rows: Iterable[Row]) -> None:
    print_objects(Format.JSONL, columns, (dict(zip(columns, row, strict=True)) for row in rows))


def _print_csv(columns: Sequence[str], rows: Iterable[Row]) -> None:
    click.echo(_csv_line(columns))
    for row in rows:
        click.echo(_csv_line([_text(value, "") for value in row]))


_PRINTERS = {
    Format.TABLE: _print_table,
    Format.JSON: _print_json,
    Format.JSONL: _print_json_lines,
    Format.CSV: _print_csv,
}


def _csv_line(values: Sequence[str]) -> str:
    text = io.StringIO()
    # Before Python 3.13 only what is in the line terminator is quoted, of all that may end a line.
    csv.writer(text, lineterminator="\r\n").writerow(values)
    return text.getvalue().removesuffix("\r\n")


def _text(value: Any, nothing: str) -> str:
    if value is None or value == ():
        return nothing
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, dict):
        return ",".join(f"{key}={_text(one, nothing)}" for key, one in value.items()) or nothing
    if isinstance(value, list | tuple | set | frozenset):
        if any(isinstance(one, list) for one in value):
            return json.dumps(value, ensure_ascii=False)  # which commas alone would not tell apart
        return ",".join(_text(one, nothing) for one in value) or nothing
    return str(value)


def _plain(value: Any) -> Any:
    """The value as JSON has it."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(one) for one in value]
    return value if isinstance(value, bool | int | float | str | None) else str(value)


def _is_number(text: str) -> bool:
    return text == "-" or text.replace(".", "", 1).lstrip("-").isdigit()
