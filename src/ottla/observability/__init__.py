"""What an operator sees: metrics for Prometheus and logs.

instruments         Counter, Gauge, Histogram: plain slots
metrics             the registry, and its text for Prometheus in chunks
catalogue           every metric with its MBean and meaning; the MBeans without one and why
tables/             the catalogue's tables
topic_metrics       the counters of one topic, looked up once for the hot path
conversion_metrics  conversions of records between formats and codecs
process_metrics     CPU, memory and descriptors of the process
event_loop          how busy and how late the event loop is
windowed_ratio      the share of the last window that something took
logs                one line per event, without control characters
per_client_log      one line per client and problem, limited in rate
document            writes docs/metrics.md
"""
