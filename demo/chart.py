"""Counts as pictures: columns and bars for the terminal, and stacked columns as SVG, written by hand as text."""

import itertools
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

EIGHTHS = " ▁▂▃▄▅▆▇█"
COLOURS = ("#2a7f62", "#5fb49c", "#e0a458", "#b5483a", "#6a5d7b", "#c9c9c9")
WIDTH, HEIGHT, MARGIN = 860, 360, 48
LEGEND_WIDTH = 150
TICKS_MAX = 5
FONT = 'font-family="system-ui, sans-serif" font-size="12"'


def columns(values: Sequence[int], height: int = 8) -> list[str]:
    """A column per value, two characters wide, as lines from top to bottom."""
    top = max(values, default=0) or 1
    eighths = [round(value * height * 8 / top) for value in values]
    return [
        " ".join(EIGHTHS[max(0, min(8, filled - 8 * row))] * 2 for filled in eighths) for row in reversed(range(height))
    ]


def bar(value: int, largest: int, width: int = 36) -> str:
    return "█" * max(1, round(width * value / largest)) if value else ""


def stacked_svg(title: str, labels: Sequence[str], series: Mapping[str, Sequence[int]]) -> str:
    """One column per label, the series on top of each other, the first one lowest."""
    marks = ticks(max((sum(values) for values in zip(*series.values(), strict=True)), default=0))
    top = marks[-1]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" {FONT}>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{MARGIN}" y="24" font-size="15">{escape(title)}</text>',
        *_axis(marks),
        *_columns(labels, series, top),
        *_legend(list(series)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _y(value: float, top: int) -> float:
    return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * value / top


def ticks(largest: int) -> list[int]:
    """Round numbers from 0 to the first that is not below the largest value, in steps like 1, 2, 5, 10, 20."""
    steps = (factor * 10**power for power in itertools.count() for factor in (1, 2, 5))
    step = next(step for step in steps if step * TICKS_MAX >= largest)
    last = -(-max(largest, 1) // step)
    return [step * number for number in range(last + 1)]


def _axis(marks: Sequence[int]) -> list[str]:
    lines = []
    for value in marks:
        y = _y(value, marks[-1])
        lines.append(
            f'<line x1="{MARGIN}" y1="{y:.1f}" x2="{WIDTH - LEGEND_WIDTH}" y2="{y:.1f}" stroke="#ddd"/>'
            f'<text x="{MARGIN - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{value:,}</text>'
        )
    return lines


def _columns(labels: Sequence[str], series: Mapping[str, Sequence[int]], top: int) -> list[str]:
    step = (WIDTH - LEGEND_WIDTH - MARGIN) / max(1, len(labels))
    parts = []
    for index, label in enumerate(labels):
        x = MARGIN + index * step
        below = 0
        for colour, values in zip(COLOURS, series.values(), strict=False):
            y, height = _y(below + values[index], top), _y(below, top) - _y(below + values[index], top)
            parts.append(
                f'<rect x="{x + 1:.1f}" y="{y:.1f}" width="{step - 2:.1f}" height="{height:.1f}" fill="{colour}"/>'
            )
            below += values[index]
        if index % 3 == 0:
            parts.append(f'<text x="{x:.1f}" y="{HEIGHT - MARGIN + 18}" fill="#555">{escape(label)}</text>')
    return parts


def _legend(names: Sequence[str]) -> list[str]:
    x = WIDTH - LEGEND_WIDTH + 14
    rows = list(zip(COLOURS, names, strict=False))
    return [
        f'<rect x="{x}" y="{MARGIN + 20 * index}" width="12" height="12" fill="{colour}"/>'
        f'<text x="{x + 18}" y="{MARGIN + 10 + 20 * index}">{escape(name)}</text>'
        for index, (colour, name) in enumerate(reversed(rows))
    ]
