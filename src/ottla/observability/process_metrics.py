"""The process itself, under the names that every Prometheus client library uses. Read from /proc at each scrape."""

import os
import resource
import time

from ottla.observability.metrics import Metrics

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def register_process_metrics(metrics: Metrics) -> None:
    """CPU, memory, descriptors and disk bytes of this process."""
    started_at = time.time()
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    metrics.gauge("process_start_time_seconds").value = started_at
    metrics.gauge("kafka_server_appinfo_starttimems").value = int(started_at * 1000)
    metrics.gauge("process_max_fds").value = limit
    metrics.gauge("process_resident_memory_bytes", function=resident_bytes)
    metrics.gauge("process_open_fds", function=open_descriptors)
    metrics.gauge("kafka_server_kafkaserver_linux_disk_read_bytes", function=lambda: disk_bytes("read_bytes"))
    metrics.gauge("kafka_server_kafkaserver_linux_disk_write_bytes", function=lambda: disk_bytes("write_bytes"))
    metrics.collect("process_cpu_seconds_total", lambda: [((), time.process_time())])


def resident_bytes() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * _PAGE_BYTES
    except OSError:
        return 0


def open_descriptors() -> int:
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError:
        return 0


def disk_bytes(field: str) -> int:
    """`read_bytes` or `write_bytes` of /proc/self/io; -1 where the system does not tell, as Kafka has it."""
    try:
        with open("/proc/self/io", encoding="ascii") as file:
            return next((int(line.split()[1]) for line in file if line.startswith(field + ":")), -1)
    except OSError:
        return -1
