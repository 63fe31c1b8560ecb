"""What must hold of a broker's process whatever was done to it: it runs, says nothing that only a bug says, does not
swell, rests when nobody asks it for anything, and goes when it is told to.
"""

import os
import re
import signal
import subprocess
import time
from collections.abc import Collection
from pathlib import Path

from ottla.protocol.messages.metadata import MetadataRequest
from support.broker import BrokerProcess
from support.eventually import eventually
from support.raw_kafka import RawKafka
from support.zookeepers import resident_bytes

STOP_SECONDS_MAX = 10
SERVED_SECONDS_MAX = 10
RESIDENT_BYTES_MAX = 512 << 20
_REST_WINDOW_S = 0.2
_REST_SHARE_MAX = 0.5
_OUR_BUG = re.compile(r"Traceback \(most recent call last\)|was never (retrieved|awaited)|^\[[^]]*\] CRITICAL ", re.M)
_ERROR = re.compile(r"^\[[^]]*\] ERROR .*", re.M)


def assert_well(broker: BrokerProcess, *, errors: bool = False) -> None:
    """`errors`: lines of the level ERROR may be there, since what was done is an operator's affair."""
    said = broker.output.read_text(errors="replace")
    assert broker.is_running, f"the broker ended:\n{said[-3000:]}"
    assert_no_bug(said)
    if not errors:
        assert _ERROR.findall(said) == []
    assert resident_bytes(broker.pid) < RESIDENT_BYTES_MAX


def assert_no_bug(said: str) -> None:
    found = _OUR_BUG.search(said)
    assert found is None, said[max(0, found.start() - 1000) :][:4000]


def assert_serves(address: str) -> None:
    """Somebody else is served meanwhile."""
    with RawKafka(address, timeout=SERVED_SECONDS_MAX) as raw:
        assert raw.ask(MetadataRequest(topics=[]), 9).brokers


def assert_rests(broker: BrokerProcess) -> None:
    """It spins in nothing: soon there is a moment in which it uses little CPU."""

    def rests() -> bool:
        before = cpu_seconds(broker.pid)
        time.sleep(_REST_WINDOW_S)
        return cpu_seconds(broker.pid) - before < _REST_SHARE_MAX * _REST_WINDOW_S

    eventually(rests)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def assert_stops(broker: BrokerProcess, damaged: Collection[str] = ()) -> None:
    """SIGTERM ends it within a bound and without an error, but for one that names what is damaged."""
    os.kill(broker.pid, signal.SIGTERM)
    try:
        code = broker.wait(STOP_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        said = broker.tail()
        broker.kill()
        raise AssertionError(f"SIGTERM did not end the broker:\n{said}") from None
    assert code == 0 or any(name in broker.output.read_text(errors="replace") for name in damaged), broker.tail()
    assert_no_bug(broker.output.read_text(errors="replace"))
