"""Rounds of a hostile test: a seed, a number of rounds, and of each what it takes to do it again.

A round has random numbers of its own, made from seed and number, so that one round can be done again alone. Rounds that
do not build on each other all run, and what failed is raised together: one damage says little, twenty show a pattern.
"""

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

FAILURES_MAX = 20


class Round(NamedTuple):
    seed: int
    number: int
    rng: random.Random

    def again(self) -> str:
        return f"--hostile-seed={self.seed} --hostile-round={self.number}"


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("hostile tests")
    group.addoption("--hostile-seed", type=int, help="another seed than that of the test")
    group.addoption("--hostile-rounds", type=int, help="so many rounds, or requests")
    group.addoption("--hostile-round", type=int, help="only this round")


def seed_of(config: pytest.Config, seed: int) -> int:
    given = config.getoption("--hostile-seed")
    return seed if given is None else int(given)


def count_of(config: pytest.Config, count: int) -> int:
    return int(config.getoption("--hostile-rounds") or count)


def rounds(config: pytest.Config, seed: int, count: int) -> Iterator[Round]:
    """As the test has them, where the command line does not say otherwise."""
    seed, only = seed_of(config, seed), config.getoption("--hostile-round")
    for number in range(count_of(config, count)) if only is None else (int(only),):
        yield Round(seed, number, random.Random(f"{seed}:{number}"))


def do_all(found: Iterator[Round], do: Callable[[Round], str]) -> None:
    """`do` says what it did in the round. An ExceptionGroup tells of the rounds in which that was not withstood."""
    failures: list[Exception] = []
    done = 0
    for done, one in enumerate(found, start=1):  # noqa: B007 - counted
        try:
            print(f"round {one.number}: {do(one)}")
        except Exception as error:  # noqa: BLE001 - raised below
            error.add_note(f"again with {one.again()}")
            failures.append(error)
        if len(failures) >= FAILURES_MAX:
            break
    if failures:
        raise ExceptionGroup(f"{len(failures)} of {done} rounds failed", failures)
