"""The table on the terminal, the results as JSON, docs/benchmarks.md with its picture.

What the page shows stands beside it as JSON: a run of some cases takes the others from there, each with the date and
the commit of its own run. `python -m bench.report build/bench/NAME.json...` does the same with results that are there,
the newest first.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench.driver import ROOT
from bench.measures import Row, Spread, Verdict
from bench.picture import draw

RESULTS = ROOT / "build" / "bench"
PAGE = ROOT / "docs" / "benchmarks.md"
PAGE_RESULTS = PAGE.with_suffix(".json")
PICTURE = PAGE.with_suffix(".svg")
TITLE_WIDTH = 78


def number(value: float) -> str:
    """Three digits that say something."""
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def spread(value: Spread | None) -> str:
    if value is None:
        return "-"
    if value.low == value.high:
        return number(value.median)
    return f"{number(value.median)} ({number(value.low)}..{number(value.high)})"


def verdict(row: Row) -> str:
    marks = [part for part in (row.must, row.verdict.value, "client-bound" if row.client_bound else "") if part]
    return ", ".join(marks)


def ratio(row: Row) -> str:
    return "" if row.ratio is None else f"{row.ratio:.2f}"


def print_rows(rows: Iterable[Row]) -> None:
    for row in rows:
        first = f"  first pass: {_first(row)}" if row.first else ""
        print(
            f"{row.group}: {row.title}".ljust(TITLE_WIDTH),
            f"{row.unit:>11}  " + " ".join(f"{name} {spread(value):22}" for name, value in row.values.items()),
            f"{ratio(row):>6}  {verdict(row)}{first}",
            flush=True,
        )


def _first(row: Row) -> str:
    return ", ".join(f"{name} {number(value)}" for name, value in row.first.items())


def print_summary(rows: list[Row]) -> None:
    judged = [row for row in rows if row.verdict is not Verdict.NONE]
    failed = [row for row in judged if row.verdict is Verdict.FAILS]
    print(f"\n{len(judged) - len(failed)} of {len(judged)} requirements hold.")
    for row in failed:
        print(f"  short: {row.group}: {row.title}: {_shortfall(row)}")


def _shortfall(row: Row) -> str:
    return f"{number(row.values['Ottla'].median)} {row.unit}".rstrip() + (
        f", ratio {row.ratio:.2f}, must be {row.must}" if row.must.startswith("ratio") and row.ratio is not None
        else f", must be {row.must}"
    )  # fmt: skip


def save_results(machine: dict[str, str], effort: str, rows: list[Row]) -> Path:
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{machine['date'].replace(' ', '-').replace(':', '')}-{effort}.json"
    _save(path, machine, effort, rows)
    return path


def _save(path: Path, machine: dict[str, str], effort: str, rows: list[Row]) -> None:
    """A row a line, for those who compare two versions."""
    lines = ",\n".join(json.dumps(row._asdict(), default=lambda value: value.value) for row in rows)
    head = json.dumps({"machine": machine, "effort": effort})
    path.write_text(f'{head[:-1]}, "rows": [\n{lines}\n]}}\n')


def load_results(path: Path) -> tuple[dict[str, str], str, list[Row]]:
    content: dict[str, Any] = json.loads(path.read_text())
    return content["machine"], content["effort"], [_row(fields) for fields in content["rows"]]


def _row(fields: dict[str, Any]) -> Row:
    values = {name: Spread(*value) for name, value in fields.pop("values").items()}
    return Row(**fields | {"values": values, "verdict": Verdict(fields["verdict"])})


def joined_results(paths: list[Path]) -> tuple[dict[str, str], str, list[Row]]:
    """The first and newest, with what only later ones have, in their order: that says when it was measured."""
    machine, effort, newest = load_results(paths[0])
    rows: list[Row] = []
    for path in reversed(paths[1:]):
        earlier, _, earlier_rows = load_results(path)
        origin = f"{earlier['date']}, {earlier['commit']}"
        rows = overlaid(rows, [row._replace(measured=row.measured or origin) for row in earlier_rows])
    return machine, effort, overlaid(rows, newest)


def overlaid(rows: list[Row], newer: list[Row]) -> list[Row]:
    """Newer rows in the place of older ones; one that is new comes behind the one that it followed."""
    result = list(rows)
    place = len(result) - 1
    for row in newer:
        known = [index for index, other in enumerate(result) if (other.group, other.title) == (row.group, row.title)]
        if known:
            place = known[0]
            result[place] = row
        else:
            place += 1
            result.insert(place, row)
    return result


def write_page(paths: list[Path]) -> None:
    """From the newest results and, for what these lack, older ones."""
    machine, effort, rows = joined_results(paths)
    PICTURE.write_text(draw(rows))
    PAGE.write_text("\n".join(page_lines(machine, effort, rows)) + "\n")
    _save(PAGE_RESULTS, machine, effort, rows)


def page_lines(machine: dict[str, str], effort: str, rows: list[Row]) -> list[str]:
    rounds = "one round per broker and case, for a first look" if effort == "quick" else "the median of five rounds"
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`, not by hand. Ottla beside Apache Kafka 4.3.0 (KRaft, the JVM flags of its own start",
        "script, warmed up: the first pass of every case is not counted), on the same machine, with the same client,",
        f"in alternating rounds; {rounds}, with the lowest and the highest beside it. The broker that is",
        "not measured is paused, so that its idling costs the other nothing. Broker CPU counts all threads and",
        "children. Before each round free memory is touched once: some hosts of virtual machines take it back, and",
        "would have whoever needs it next pay. A GB is 10^9 bytes of record values. What has a date in the last column",
        "was measured then, at that commit, and not in the run that is described here.",
        "",
        "![Ottla's factor over Kafka in each case](benchmarks.svg)",
        "",
        *(f"- {name}: {value}" for name, value in machine.items()),
        "",
        *_failures(rows),
    ]
    for group in dict.fromkeys(row.group for row in rows):
        lines += ["", f"## {group[0].upper()}{group[1:]}", "", *_table([row for row in rows if row.group == group])]
    return lines


def _failures(rows: list[Row]) -> list[str]:
    failed = [row for row in rows if row.verdict is Verdict.FAILS]
    judged = sum(row.verdict is not Verdict.NONE for row in rows)
    lines = [f"{judged - len(failed)} of {judged} requirements hold."]
    if failed:
        lines += ["What falls short:", "", *(f"- {row.group}: {row.title}: {_shortfall(row)}" for row in failed)]
    return lines


def _table(rows: list[Row]) -> list[str]:
    lines = [
        "| case | unit | Kafka | Ottla | ratio | must show | Kafka's first pass | measured |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [
            row.title, row.unit, spread(row.values.get("Kafka")), spread(row.values.get("Ottla")), ratio(row),
            verdict(row), number(row.first["Kafka"]) if "Kafka" in row.first else "", row.measured,
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return lines


if __name__ == "__main__":
    write_page([*(Path(argument) for argument in sys.argv[1:]), PAGE_RESULTS])
