"""KIP-279, KIP-595: the leader does not look at the epoch of what a follower has, so histories stay apart."""

from ottla.replication.fetch_reader import FetchReader


def apply() -> None:
    FetchReader._diverges = staticmethod(lambda entry, partition, read: False)  # type: ignore[method-assign,assignment]
