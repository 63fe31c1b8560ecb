"""Text scenarios, as etcd has them: a command, a line of dashes, what is expected, an empty line. `#` begins a remark.

    join a
    ----
    a: MEMBER_ID_REQUIRED member=a-1

`pytest tests/scenarios --rewrite` writes what was given over what was expected: then read the diff.
"""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import NamedTuple

SEPARATOR = "----"


class Block(NamedTuple):
    """Remarks and commands as they stand, the commands alone, and what they are expected to give."""

    text: str
    commands: list[str]
    expected: str


def read_blocks(path: Path) -> Iterator[Block]:
    for part in path.read_text().strip().split("\n\n"):
        text, _, expected = part.partition(f"\n{SEPARATOR}\n")
        text = text.removesuffix(f"\n{SEPARATOR}")
        commands = [line for line in text.splitlines() if line and not line.startswith("#")]
        yield Block(text, commands, expected.strip("\n"))


async def play(path: Path, run: Callable[[str], Awaitable[str]], *, rewrite: bool) -> None:
    """Run every block; several commands of one block give their lines together."""
    played = []
    for block in read_blocks(path):
        if not block.commands:
            played.append(block.text)
            continue
        given = "\n".join([lines for command in block.commands if (lines := await run(command))]) or "nothing"
        played.append(f"{block.text}\n{SEPARATOR}\n{given}")
        if not rewrite:
            assert given == block.expected, f"{path.name}: {' / '.join(block.commands)}\n{given}"
    if rewrite:
        path.write_text("\n\n".join(played) + "\n")  # noqa: ASYNC240 (nobody else is on this loop)
