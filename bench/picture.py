"""The picture of docs/benchmarks.md: a bar per case, how many times better Ottla is than Kafka, on a log scale.

Throughput and CPU alike: a bar to the right is Ottla's, to the left Kafka's. Written as SVG by hand, for two reasons:
it is text, so a diff shows what changed, and nothing needs to be installed for it.
"""

import math
from xml.sax.saxutils import escape

from bench.measures import Row

ROW_HEIGHT = 18
LABEL_WIDTH = 620
CHART_WIDTH = 480
MARGIN = 34
HIGHER_IS_BETTER = ("/s", "MB/s")
DRAWN_UNITS = (*HIGHER_IS_BETTER, "us", "s/GB", "ms", "s", "MB")
LEFT_OUT = ("client", "bare sendfile", "first")
COLOURS = {"better": "#2a7f62", "worse": "#b5483a"}
FONT = 'font-family="system-ui, sans-serif" font-size="12"'


def draw(rows: list[Row]) -> str:
    bars = [(f"{row.group}: {row.title} [{row.unit}]", _factor(row)) for row in rows if _is_drawn(row)]
    log_max = max([1.0, *(abs(math.log10(factor)) for _label, factor in bars)])
    height = MARGIN * 2 + ROW_HEIGHT * len(bars)
    width = LABEL_WIDTH + CHART_WIDTH + 60
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" {FONT}>',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LABEL_WIDTH}" y="18">how many times better than warm Kafka 4.3.0 (log scale)</text>',
        *_grid(log_max, height),
        *(_bar(index, label, factor, log_max) for index, (label, factor) in enumerate(bars)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _is_drawn(row: Row) -> bool:
    return row.ratio is not None and row.ratio > 0 and row.unit in DRAWN_UNITS and not any(
        word in row.title for word in LEFT_OUT
    )  # fmt: skip


def _factor(row: Row) -> float:
    assert row.ratio is not None
    return row.ratio if row.unit in HIGHER_IS_BETTER else 1 / row.ratio


def _x(factor: float, log_max: float) -> float:
    """Kafka's 1 stands a quarter into the chart, so that there is room for the worse."""
    return LABEL_WIDTH + CHART_WIDTH * (0.25 + 0.75 * math.log10(factor) / log_max)


def _grid(log_max: float, height: int) -> list[str]:
    lines = []
    for tick in (0.5, 1, 2, 5, 10, 20, 50, 100, 1000):
        if math.log10(tick) <= log_max:
            x = _x(tick, log_max)
            stroke = "#333" if tick == 1 else "#ddd"
            lines.append(f'<line x1="{x:.0f}" y1="{MARGIN - 6}" x2="{x:.0f}" y2="{height - 24}" stroke="{stroke}"/>')
            lines.append(f'<text x="{x:.0f}" y="{height - 8}" text-anchor="middle" fill="#555">{tick:g}</text>')
    return lines


def _bar(index: int, label: str, factor: float, log_max: float) -> str:
    y = MARGIN + index * ROW_HEIGHT
    one, end = _x(1, log_max), _x(max(factor, 10 ** (-log_max / 3)), log_max)
    colour = COLOURS["better" if factor >= 1 else "worse"]
    text_y = y + ROW_HEIGHT - 6
    return (
        f'<text x="{LABEL_WIDTH - 8}" y="{text_y}" text-anchor="end">{escape(label)}</text>'
        f'<rect x="{min(one, end):.1f}" y="{y + 3}" width="{abs(end - one):.1f}" height="{ROW_HEIGHT - 6}"'
        f' fill="{colour}"/>'
        f'<text x="{max(one, end) + 5:.1f}" y="{text_y}" fill="#333">{factor:.2g}</text>'
    )
