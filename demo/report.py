"""What came out, read back from where it was written: the Delta table, the topic of sessions, the Parquet files."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.dataset
from deltalake import DeltaTable

import ottla
from demo.chart import bar, columns, stacked_svg

PAGES_SHOWN = 5


class WindowCounts(NamedTuple):
    """Views by window and page; `windows` in the order of time."""

    windows: list[str]
    views: Counter[tuple[str, str]]

    def of_window(self, window: str) -> int:
        return sum(count for (found, _page), count in self.views.items() if found == window)

    def pages(self) -> Counter[str]:
        totals: Counter[str] = Counter()
        for (_window, page), count in self.views.items():
            totals[page] += count
        return totals


def read_counts(table: Path) -> WindowCounts:
    views: Counter[tuple[str, str]] = Counter()
    for row in DeltaTable(str(table)).to_pyarrow_table(columns=["start", "page", "views"]).to_pylist():
        views[row["start"].strftime("%H:%M"), row["page"]] += row["views"]
    return WindowCounts(sorted({window for window, _page in views}), views)


def read_topic(servers: str, topic: str) -> list[dict[str, Any]]:
    """All records of a topic, as JSON."""
    with ottla.Consumer(servers, auto_offset_reset="earliest") as consumer, ottla.Producer(servers) as producer:
        consumer.assign([(topic, partition) for partition in producer.partitions_for(topic)])
        left = sum(consumer.end_offsets(consumer.assignment()).values())
        found: list[dict[str, Any]] = []
        while len(found) < left:
            found.extend(json.loads(record.value or b"null") for record in consumer.poll(timeout_ms=5000))
        return found


def parquet_rows(directory: Path) -> int:
    files = [str(file) for file in directory.rglob("*.parquet")]
    return int(pyarrow.dataset.dataset(files).count_rows())


def draw(counts: WindowCounts) -> str:
    """The picture: views by window, the best pages in colours of their own."""
    best = [page for page, _count in counts.pages().most_common(PAGES_SHOWN)]
    series = {page: [counts.views[window, page] for window in counts.windows] for page in best}
    rest = [counts.of_window(window) - sum(counts.views[window, page] for page in best) for window in counts.windows]
    return stacked_svg("Views in five minutes, by page", counts.windows, series | {"others": rest})


def chart_lines(counts: WindowCounts) -> list[str]:
    """The same in the terminal, and the pages below it."""
    totals = [counts.of_window(window) for window in counts.windows]
    labels = "".join(window.ljust(9) for window in counts.windows[::3])
    pages = counts.pages().most_common(PAGES_SHOWN)
    return [
        f"views in five minutes (most: {max(totals, default=0)})",
        *columns(totals),
        labels,
        "",
        *(f"{page:<14} {count:>7,}  {bar(count, pages[0][1])}" for page, count in pages),
    ]


def session_lines(found: list[dict[str, Any]]) -> list[str]:
    count = max(1, len(found))
    pages = sum(session["pages"] for session in found) / count
    minutes = sum(session["seconds"] for session in found) / 60 / count
    with_search = 100 * sum(session["searches"] > 0 for session in found) / count
    longest = max(found, key=lambda session: session["pages"], default=None)
    lines = [f"{len(found):,} sessions: {pages:.1f} pages in {minutes:.1f} minutes, {with_search:.0f} % with a search"]
    if longest is not None:
        lines.append(
            f"longest: {longest['visitor']}, {longest['pages']} pages in {longest['seconds'] / 60:.0f} minutes"
        )
    return lines
