"""Ottla: Kafka's event streaming, from `pip install`. docs/ARCHITECTURE.md shows the way that a record takes."""

__version__ = "0.1.0"
