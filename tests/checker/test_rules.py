"""The checker is right about a good history, and finds what is wrong with each mutated one."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from checker.rules import UNKNOWN_OFFSET, Operation, check

History = list[Operation]


def good_history() -> History:
    history: History = []
    for number in range(20):
        kind = {7: "info", 11: "fail"}.get(number, "ok")
        offset = number if number < 11 else number - 1
        history.append(
            Operation(
                "send", "t-0", f"p:{number}", offset if kind == "ok" else -1, "p", kind, number * 10, number * 10 + 5
            )
        )
        if kind != "fail":
            history.append(Operation("poll", "t-0", f"p:{number}", offset, "c"))
            history.append(Operation("final", "t-0", f"p:{number}", offset))
            history += [Operation("replica", "t-0", f"crc {number}", offset, f"broker {b}") for b in range(3)]
    return history


def without(history: History, f: str, offset: int) -> History:
    return [op for op in history if (op.f, op.offset) != (f, offset)]


def changed(history: History, f: str, old: int, value: str) -> History:
    return [op._replace(value=value) if (op.f, op.offset) == (f, old) else op for op in history]


def swapped(history: History, first: int, second: int) -> History:
    """Two acknowledgements with each other's offsets."""
    other = {first: second, second: first}
    return [op._replace(offset=other.get(op.offset, op.offset)) if op.f == "send" else op for op in history]


MUTATIONS: dict[str, Callable[[History], History]] = {
    "w1_no_acknowledged_record_is_lost": lambda h: without(without(h, "final", 3), "poll", 3),
    "w2_one_value_per_offset": lambda h: changed(h, "poll", 4, "p:5"),
    "w3_idempotent_producers_write_once": lambda h: [*h, Operation("final", "t-0", "p:2", 99)],
    "w4_what_failed_is_not_there": lambda h: [*h, Operation("final", "t-0", "p:11", 99)],
    "w5_no_phantoms": lambda h: [*h, Operation("final", "t-0", "q:1", 99)],
    "w6_real_time_order": lambda h: swapped(h, 2, 5),
    "r1_offsets_rise": lambda h: [*h, Operation("poll", "t-0", "p:3", 3, "c")],
    "r2_nothing_is_skipped": lambda h: without(h, "poll", 6),
    "r3_reads_are_repeatable": lambda h: [*h, Operation("poll", "t-0", "p:x", 50, "c")],
    "d1_replicas_are_equal": lambda h: [op for op in h if (op.f, op.offset, op.process) != ("replica", 9, "broker 2")],
}


def test_a_good_history_breaks_no_rule() -> None:
    assert check(good_history(), idempotent=True) == []


@pytest.mark.parametrize("rule", MUTATIONS)
def test_a_mutated_history_breaks_its_rule(rule: str) -> None:
    breaches = check(MUTATIONS[rule](good_history()), idempotent=True)
    assert rule in {breach.partition(":")[0] for breach in breaches}


def test_the_program_reads_a_file_and_tells_by_its_exit_code(tmp_path: Path) -> None:
    for name, history, code in (("good", good_history(), 0), ("bad", without(good_history(), "final", 3), 1)):
        path = tmp_path / name
        path.write_text("".join(json.dumps(op._asdict()) + "\n" for op in history))
        command = [sys.executable, "-m", "checker", str(path)]
        assert subprocess.run(command, cwd=Path(__file__).parent.parent, check=False).returncode == code


def acknowledged_without_offset(history: History, offset: int) -> History:
    return [op._replace(offset=UNKNOWN_OFFSET) if (op.f, op.offset) == ("send", offset) else op for op in history]


def test_acknowledgement_without_an_offset_is_kept_if_the_record_is_anywhere() -> None:
    history = acknowledged_without_offset(good_history(), 3)
    assert check(history, idempotent=True) == []
    lost = check(without(without(history, "final", 3), "poll", 3), idempotent=True)
    assert any("p:3 was acknowledged" in breach for breach in lost)
