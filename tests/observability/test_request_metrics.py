from ottla.observability.metrics import Metrics
from ottla.observability.request_metrics import RequestMetrics


def test_an_api_has_its_times_and_a_count_per_version() -> None:
    metrics = Metrics()
    requests = RequestMetrics(metrics)
    produce = requests.of("Produce")
    assert requests.of("Produce") is produce
    produce.count(9).value += 2
    produce.count(11).value += 1
    produce.local_time.record(0.3)
    requests.error("Produce", "NOT_LEADER_OR_FOLLOWER").value += 1
    text = b"".join(metrics.render()).decode()
    assert 'kafka_network_requestmetrics_requests_total{request="Produce",version="9"} 2\n' in text
    assert 'kafka_network_requestmetrics_requests_total{request="Produce",version="11"} 1\n' in text
    assert 'kafka_network_requestmetrics_localtimems_count{request="Produce"} 1\n' in text
    assert 'kafka_network_requestmetrics_errors_total{request="Produce",error="NOT_LEADER_OR_FOLLOWER"} 1\n' in text
