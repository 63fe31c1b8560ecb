"""What a stretch of work has cost."""

import pytest
from bench.processes import summed


def test_costs_of_several_stretches_add_up_and_the_busiest_thread_counts_by_time():
    first = {"elapsed_s": 1.0, "broker_cpu_s": 0.5, "client_busiest": 1.0}
    second = {"elapsed_s": 3.0, "broker_cpu_s": 0.1, "client_busiest": 0.2}
    assert summed([first, second]) == pytest.approx({"elapsed_s": 4.0, "broker_cpu_s": 0.6, "client_busiest": 0.4})
