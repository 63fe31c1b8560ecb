"""Where `ottla consume` begins and ends: the option -o, as kcat has it."""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from ottla.cli.times import parse_time_ms
from ottla.errors.tree import OperatorError
from ottla.model import TopicPartition

if TYPE_CHECKING:
    from ottla import Consumer


class Span(NamedTuple):
    """`begin`: beginning, end, stored, an offset, or a time in `begin_ms`. `end_ms`: no record at or after it."""

    begin: str | int = "beginning"
    begin_ms: int | None = None
    end_ms: int | None = None


def parse_span(texts: Collection[str]) -> Span:
    """`-o beginning|end|stored|N|-N|s@TIME|e@TIME`; s@ and e@ may come together."""
    span = Span()
    for text in texts:
        if text.startswith("s@"):
            span = span._replace(begin_ms=parse_time_ms(text[2:]))
        elif text.startswith("e@"):
            span = span._replace(end_ms=parse_time_ms(text[2:]))
        elif text in ("beginning", "end", "stored"):
            span = span._replace(begin=text)
        elif re.fullmatch(r"-?\d+", text):
            span = span._replace(begin=int(text))
        else:
            raise OperatorError(f"-o {text}: there are beginning, end, stored, N, -N (from the end), s@TIME and e@TIME")
    return span


def check_group(span: Span, member_of: str | None, group_id: str | None) -> None:
    """A group's offsets need a group; and a member of a group begins where the group is."""
    if span.begin == "stored" and member_of is None and group_id is None:
        raise OperatorError("-o stored: whose? -G GROUP joins a group, -X group.id=GROUP only reads its offsets")
    if member_of is not None and (isinstance(span.begin, int) or span.begin_ms is not None or span.end_ms is not None):
        raise OperatorError("-G begins where the group is: with it, -o is beginning, end or stored")


def seek(consumer: "Consumer", partitions: Collection[TopicPartition], span: Span) -> None:
    """Put an assigned consumer to the beginning of the span."""
    if span.begin_ms is not None:
        consumer.seek_to_time(dict.fromkeys(partitions, span.begin_ms))
    elif span.begin == "beginning":
        consumer.seek_to_beginning(partitions)
    elif span.begin == "end":
        consumer.seek_to_end(partitions)
    elif isinstance(span.begin, int):
        first, end = consumer.beginning_offsets(partitions), consumer.end_offsets(partitions)
        for partition in partitions:
            wanted = span.begin if span.begin >= 0 else end[partition] + span.begin
            consumer.seek(partition, min(max(wanted, first[partition]), end[partition]))


def end_offsets(
    consumer: "Consumer", partitions: Collection[TopicPartition], span: Span, until_end: bool
) -> dict[TopicPartition, int] | None:
    """Where to stop reading each partition; None: nowhere."""
    if span.end_ms is None:
        return consumer.end_offsets(partitions) if until_end else None
    ends = consumer.end_offsets(partitions)
    found = consumer.offsets_for_times(dict.fromkeys(partitions, span.end_ms))
    return {partition: ends[partition] if at_time is None else at_time.offset for partition, at_time in found.items()}
