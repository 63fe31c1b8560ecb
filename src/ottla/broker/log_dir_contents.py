"""What log directories say about the cluster before it is loaded: its id, and which topics' partitions lie there.

ZooKeeper is the only place that knows a topic's assignment and configs. When its data is lost the partitions stay on
disk and nobody serves them. Two degrees:

- The embedded server's log cannot be read from its first byte on, and these directories know of more than is left:
  damage. The start is refused, since going on would cut off the file that may yet be restored (`contradiction`).
- Its files are not there at all, or are whole and older: somebody moved, restored or removed them, and may have meant
  it. The start goes on, with a warning that says what is not served (`unknown_topics`).
"""

import logging
import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from typing import NamedTuple

from ottla.coordination import paths
from ottla.storage.log.partition_directory import DirectoryKind, parse_directory_name

logger = logging.getLogger(__name__)

NAMED_MAX = 5


class LogDirContents(NamedTuple):
    cluster_id: str | None
    partitions: Mapping[str, int]  # how many, by topic

    def contradiction(self, recovered: Callable[[str], bool]) -> str | None:
        """What ZooKeeper's data must have held, since it is known here, and does not; None when all is there."""
        lost = []
        if self.cluster_id is not None and not recovered(paths.CLUSTER_ID):
            lost.append(f"the id of cluster {self.cluster_id}, which stands in meta.properties")
        unknown = [topic for topic in self.partitions if not recovered(paths.topic(topic))]
        if unknown:
            lost.append(f"topics whose partitions lie in log.dirs ({_some(unknown)})")
        return " and ".join(lost) or None

    def unknown_topics(self, known: Container[str]) -> list[str]:
        return [topic for topic in self.partitions if topic not in known]


def look_into(log_dirs: Iterable[str], cluster_id: str | None) -> LogDirContents:
    """What cannot be read holds nothing here: whoever opens the directory says so."""
    found: Counter[str] = Counter()
    for log_dir in log_dirs:
        try:
            names = sorted(os.listdir(log_dir))
        except OSError:
            continue
        parsed = [parse_directory_name(name) for name in names]
        found.update(one.topic_partition.topic for one in parsed if one and one.kind is DirectoryKind.CURRENT)
    return LogDirContents(cluster_id, found)


def warn_of_unknown_topics(contents: LogDirContents, known: Container[str], log_dirs: Iterable[str]) -> None:
    unknown = contents.unknown_topics(known)
    if unknown:
        logger.warning(
            "log.dirs hold %d partitions of %d topics that ZooKeeper does not know (%s): nobody can read them. "
            "If ZooKeeper's data was lost, stop this broker and take them over: ottla log adopt %s",
            sum(contents.partitions[topic] for topic in unknown), len(unknown), _some(unknown), " ".join(log_dirs),
        )  # fmt: skip


def _some(topics: list[str]) -> str:
    return ", ".join(topics[:NAMED_MAX]) + (", ..." if len(topics) > NAMED_MAX else "")
