"""What the user wants to read: named topics, topics by pattern, or partitions chosen by hand. One of them at a time."""

import re
from collections.abc import Iterable

from ottla.clients.errors import IllegalStateError
from ottla.clients.snapshot import ClusterSnapshot
from ottla.model import INTERNAL_TOPICS

NOT_BOTH = "partitions are assigned by hand or topics subscribed to, not both: unsubscribe first"


class SubscriptionState:
    """`topics` are those wanted now: as named, or as the pattern found them last."""

    def __init__(self, *, exclude_internal: bool) -> None:
        self.topics: frozenset[str] = frozenset()
        self.pattern: re.Pattern[str] | None = None
        self.exclude: re.Pattern[str] | None = None
        self.is_manual = False
        self._exclude_internal = exclude_internal

    @property
    def is_subscribed(self) -> bool:
        return self.pattern is not None or bool(self.topics)

    def subscribe(self, topics: Iterable[str]) -> None:
        self._refuse_manual()
        self.topics = frozenset(topics)
        self.pattern = self.exclude = None

    def subscribe_pattern(self, pattern: str | re.Pattern[str], exclude: str | re.Pattern[str] | None) -> None:
        self._refuse_manual()
        self.topics = frozenset()
        self.pattern = re.compile(pattern)
        self.exclude = None if exclude is None else re.compile(exclude)

    def assign(self) -> None:
        if self.is_subscribed:
            raise IllegalStateError(
                "partitions are assigned by hand or topics subscribed to, not both: unsubscribe first"
            )
        self.is_manual = True

    def clear(self) -> None:
        self.topics = frozenset()
        self.pattern = self.exclude = None
        self.is_manual = False

    def _refuse_manual(self) -> None:
        if self.is_manual:
            raise IllegalStateError(
                "partitions are assigned by hand or topics subscribed to, not both: unsubscribe first"
            )

    def update(self, snapshot: ClusterSnapshot) -> bool:
        """Look for the pattern's topics again. Whether they are others now."""
        if self.pattern is None:
            return False
        found = frozenset(name for name in snapshot.topics if self._matches(name))
        if found == self.topics:
            return False
        self.topics = found
        return True

    def _matches(self, name: str) -> bool:
        assert self.pattern is not None
        if self._exclude_internal and name in INTERNAL_TOPICS:
            return False
        if self.exclude is not None and self.exclude.fullmatch(name):
            return False
        return self.pattern.fullmatch(name) is not None
