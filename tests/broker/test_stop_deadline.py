import subprocess
import sys

PROGRAM = """
import asyncio, threading, time
from ottla.broker.stop_deadline import StopDeadline
from ottla.broker.stop_sequence import FLUSH_SECONDS_MAX, StopSequence
from ottla.observability.logs import setup_logging

setup_logging()
stops = StopSequence()

async def hang():
    time.sleep(600)  # the event loop is stuck: nothing that it bounds will end

async def flush():
    await asyncio.sleep(1)
    print("flushed", flush=True)

stops.push("the session", hang)
stops.push("the logs", flush, FLUSH_SECONDS_MAX)
StopDeadline(0.5, stops).start()
asyncio.run(stops.run())
"""


def test_stop_that_hangs_ends_the_process_says_what_is_left_and_waits_for_the_logs_to_be_flushed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == "flushed\n"
    assert "Left undone: the session" in done.stderr
