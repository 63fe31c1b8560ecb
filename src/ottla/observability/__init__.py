"""What an operator sees: metrics for Prometheus and logs.

| module | what it holds |
|---|---|
| `instruments` | Counter, Gauge, Histogram: plain slots |
| `metrics` | the registry, and its text for Prometheus in chunks |
| `catalogue`, `tables/` | every metric with its MBean and meaning; the MBeans without one and why |
| `topic_metrics`, `process_metrics` | the counters of one topic, held ready for the hot path; the process itself |
| `event_loop` | how busy and how late the loop is |
| `logs`, `per_client_log` | one line per event, rate limits, no control characters |
| `document` | writes docs/metrics.md |
"""
