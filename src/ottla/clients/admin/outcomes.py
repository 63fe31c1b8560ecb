"""What a call about several things gives back: for each of them a result or an error."""

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from ottla.errors import KafkaError

K = TypeVar("K")
V = TypeVar("V")


class Outcomes(Mapping[K, V], Generic[K, V]):
    """A mapping from each thing that was asked about to its result.

    Reading the result of something that failed raises its error. `errors` are those that failed, `check()` raises the
    first of them::

        outcomes = admin.delete_topics(["old", "nonsense"])
        outcomes.errors    # {"nonsense": UnknownTopicOrPartitionError(...)}
        outcomes["old"]    # None
    """

    __slots__ = ("_results", "errors")

    def __init__(self) -> None:
        self._results: dict[K, V] = {}
        self.errors: dict[K, KafkaError] = {}

    def succeed(self, key: K, result: V) -> None:
        self._results[key] = result

    def fail(self, key: K, error: KafkaError) -> None:
        self.errors[key] = error

    @property
    def results(self) -> Mapping[K, V]:
        """Only what succeeded."""
        return self._results

    def check(self) -> "Outcomes[K, V]":
        """Raise the first error, if there is one."""
        for error in self.errors.values():
            raise error
        return self

    def __getitem__(self, key: K) -> V:
        if key in self.errors:
            raise self.errors[key]
        return self._results[key]

    def __iter__(self) -> Iterator[K]:
        yield from self._results
        yield from self.errors

    def __len__(self) -> int:
        return len(self._results) + len(self.errors)

    def __contains__(self, key: object) -> bool:
        return key in self._results or key in self.errors

    def __repr__(self) -> str:
        return f"Outcomes({self._results!r}, errors={self.errors!r})"
