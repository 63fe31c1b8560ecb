"""A broker's Prometheus page, read as a monitoring system would."""

import urllib.request

from prometheus_client.parser import text_string_to_metric_families


class MetricsPage:
    """One scrape."""

    def __init__(self, port: int) -> None:
        with urllib.request.urlopen(f"http://localhost:{port}/metrics", timeout=30) as response:
            text = response.read().decode()
        self.families = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE ")}
        self.samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]

    def value(self, name: str, **labels: str) -> float:
        """The sum of the series that have these labels; without labels, the series that has none."""
        found = [
            sample.value
            for sample in self.samples
            if sample.name == name and labels.items() <= sample.labels.items() and bool(labels) == bool(sample.labels)
        ]
        return sum(found)
