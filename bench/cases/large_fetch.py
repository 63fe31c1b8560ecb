"""Large fetches of a warm log by a bare socket, and os.sendfile of the same bytes beside it in the same round."""

from pathlib import Path

from bench.bare_sendfile import REQUEST
from bench.brokers import BrokerProcess
from bench.driver import begin, drive
from bench.measures import Case, Effort, Metric, Must, Sample
from bench.raw_driver import fill, read_answers
from bench.topics import free_port, temporary_topic

VALUE_BYTES = 1_000
RECORDS_PER_BATCH = 500
BATCHES_PER_FETCH = 16
POSITIONS = 24
READS_OF_THE_FILE = 5


def large_fetch(broker: BrokerProcess, effort: Effort) -> Sample:
    total_bytes = effort.megabytes * 1_000_000 * READS_OF_THE_FILE
    with temporary_topic(broker.port) as topic:
        batch_bytes = fill(broker.port, topic, VALUE_BYTES, RECORDS_PER_BATCH, BATCHES_PER_FETCH * POSITIONS)
        fetch_bytes = batch_bytes * BATCHES_PER_FETCH
        sample = drive(
            "bench.raw_driver:large_fetches",
            port=broker.port, pid=broker.pid, topic=topic, fetch_bytes=fetch_bytes,
            records_per_fetch=RECORDS_PER_BATCH * BATCHES_PER_FETCH, positions=POSITIONS, total_bytes=total_bytes,
        )  # fmt: skip
        bare = bare_sendfile(broker.log_files(topic)[0], fetch_bytes, total_bytes)
    cpu, bare_cpu = (each["broker_cpu_s"] / (each["bytes"] / 1e9) for each in (sample, bare))
    return sample | {
        "mb_per_s": sample["bytes"] / 1e6 / sample["elapsed_s"],
        "bare_mb_per_s": bare["bytes"] / 1e6 / bare["elapsed_s"],
        "cpu_s_per_gb": cpu,
        "bare_cpu_s_per_gb": bare_cpu,
        "to_bare": cpu / bare_cpu,
    }


def bare_sendfile(path: Path, fetch_bytes: int, total_bytes: int) -> Sample:
    """The same ranges of the same file, by a process that does nothing else."""
    port = free_port()
    server = begin("bench.bare_sendfile:serve", path=str(path), port=port)
    server.wait_ready()
    requests = [REQUEST.pack(index * fetch_bytes, fetch_bytes) for index in range(POSITIONS)]
    sample = read_answers(port, server.pid, requests, fetch_bytes, total_bytes)
    server.result()
    return sample


LARGE_FETCH_CASES = (
    Case(
        "large-fetch",
        "consume",
        "8 MB fetches, raw socket",
        large_fetch,
        (
            Metric("mb_per_s", "MB/s"),
            Metric("cpu_s_per_gb", "s/GB", label="broker CPU"),
            Metric("bare_cpu_s_per_gb", "s/GB", label="CPU of bare sendfile beside it"),
            Metric("to_bare", "x", Must(at_most=1.3, of_ratio=False), "broker CPU to bare sendfile"),
        ),
    ),
)
