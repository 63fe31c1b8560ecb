"""Transcripts of Kafka 3.9.1's own command line tools.

A transcript is a text file of commands and what they print, as in etcd's tests:

    $ kafka-topics --create --topic t
    Created topic t.

`--bootstrap-server` is added to every command that does not name BROKER; `<<<` gives the standard input; `DIR` is a
folder for files, `write DIR/name <<< text` makes one. In what is printed, everything that differs from run to run is
replaced and runs of blanks become one: columns are as wide as the widest address.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from support.kafka_tools import KafkaTools
from support.peers import ROOT

TRANSCRIPTS = ROOT / "tests" / "data" / "kafka-tools"
# What these print is in the order of a broker's hash maps, so it is sorted.
UNORDERED = ("kafka-consumer-groups --list", "--all-groups", "--topics-with-overrides")
REPLACED = [
    (re.compile(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\]"), "[TIME]"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r"console-consumer-\d+"), "console-consumer-N"),
    (re.compile(r"TopicId: \S+"), "TopicId: ID"),
    (re.compile(r'"timestamp":\d+'), '"timestamp":MS'),
    (re.compile(r'"logDir":"[^"]*"'), '"logDir":"DATA"'),
    (re.compile(r"^log4j:WARN.*\n", re.M), ""),
    # Kafka in ZooKeeper mode has no DescribeTopicPartitions and the tool says so; ours has it, with empty sets.
    (re.compile(r"Elr: (N/A)?\tLastKnownElr: (N/A)?"), "Elr: NONE\tLastKnownElr: NONE"),
    (re.compile(r"^(\tat |\t?\.\.\. \d+ more).*\n", re.M), ""),
    (re.compile(r"[ \t]+"), " "),
    (re.compile(r" +$", re.M), ""),
]


class Entry(NamedTuple):
    command: str
    output: str


class TranscribedTools:
    """`run` gives what a tool printed to both streams, the exit code below it unless that is zero."""

    def __init__(self, tools: KafkaTools, address: str, directory: Path) -> None:
        self._tools = tools
        self._address = address
        self._directory = directory

    def run(self, command: str) -> str:
        words, _, text = command.partition(" <<< ")
        arguments = [self._filled(word) for word in shlex.split(words)]
        stdin = text.encode().decode("unicode_escape")
        if arguments[0] == "write":
            Path(arguments[1]).write_text(stdin)
            return ""
        if "BROKER" not in command:
            arguments += ["--bootstrap-server", self._address]
        ended = self._tools.run(*arguments, stdin=stdin)
        code = f"exit code {ended.code}\n" if ended.code else ""
        lines = self._normal_lines(ended.stdout + ended.stderr + code)
        return "\n".join(sorted(lines) if any(word in command for word in UNORDERED) else lines)

    def _filled(self, word: str) -> str:
        return word.replace("BROKER", self._address).replace("DIR", str(self._directory))

    def _normal_lines(self, output: str) -> list[str]:
        output = output.replace(self._address, "BROKER").replace(str(self._directory), "DIR")
        for pattern, text in REPLACED:
            output = pattern.sub(text, output)
        return [line.strip() for line in output.split("\n") if line.strip()]


def read_transcript(path: Path) -> Iterator[Entry]:
    """Text before the first command is a comment."""
    for part in path.read_text().split("\n$ ")[1:]:
        command, _, output = part.partition("\n")
        yield Entry(command, output.strip("\n"))


def rewrite_transcript(path: Path, tools: TranscribedTools) -> None:
    comment = path.read_text().split("\n$ ")[0]
    parts = [f"$ {command}\n{tools.run(command)}".rstrip() + "\n" for command, _ in read_transcript(path)]
    path.write_text("\n".join([comment, *parts]))
