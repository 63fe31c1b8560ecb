from ottla.observability.metrics import Metrics
from ottla.observability.process_metrics import disk_bytes, open_descriptors, register_process_metrics, resident_bytes


def test_the_process_tells_its_memory_descriptors_and_processor_time() -> None:
    metrics = Metrics()
    register_process_metrics(metrics)
    text = b"".join(metrics.render()).decode()
    assert "\nprocess_cpu_seconds_total " in text
    assert "\nprocess_resident_memory_bytes " in text
    assert resident_bytes() > 1_000_000
    assert open_descriptors() > 2
    assert disk_bytes("write_bytes") >= -1
