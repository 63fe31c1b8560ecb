"""Python source under construction, for the reader and the writer compilers.

Both gather neighbouring fields of fixed size into one `struct` call, a *run*; the length in front of a string or an
array belongs to the run before it. Names that the source uses (structs, classes, defaults) collect in `names`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from struct import Struct as Format
from typing import Any

SHORT_NAMES = str.maketrans({"?": "t", "1": "u", "6": "", "s": ""})
"""`?` and `16s` cannot stand in a Python name, as in unpack_iht, pack_uh."""


@cache
def compiled_format(format_: str) -> Format:
    return Format(">" + format_)


def format_name(format_: str) -> str:
    return format_.translate(SHORT_NAMES)


class Source:
    """Lines with their indentation, and the globals they need."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.lines: list[str] = []
        self.numbers = count(1)
        self._indent = ""

    def line(self, text: str) -> None:
        self.lines.append(self._indent + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.line(head)
        outer = self._indent
        self._indent = outer + " "
        yield
        self._indent = outer

    def variable(self, prefix: str) -> str:
        return f"{prefix}{next(self.numbers)}"

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def load_function(source: str, title: str, names: dict[str, Any], function_name: str) -> Callable[..., Any]:
    exec(compile(source, title, "exec", dont_inherit=True), names)
    function: Callable[..., Any] = names[function_name]
    return function
