"""What a stretch of work has cost."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from bench.processes import Meter, summed


def test_costs_of_several_stretches_add_up_and_the_busiest_thread_counts_by_time():
    first = {"elapsed_s": 1.0, "broker_cpu_s": 0.5, "client_busiest": 1.0}
    second = {"elapsed_s": 3.0, "broker_cpu_s": 0.1, "client_busiest": 0.2}
    assert summed([first, second]) == pytest.approx({"elapsed_s": 4.0, "broker_cpu_s": 0.6, "client_busiest": 0.4})


def test_the_busiest_thread_of_a_client_is_found_among_those_of_a_pool():
    with ThreadPoolExecutor(1) as pool, Meter(os.getpid()) as meter:
        pool.submit(work_for, 0.2).result()
    assert meter.client_busiest * meter.elapsed_s >= 0.04  # in ticks, of which a busy machine may miss some


def work_for(cpu_seconds: float) -> None:
    while time.thread_time() < cpu_seconds:
        pass
