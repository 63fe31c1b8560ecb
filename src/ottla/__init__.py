"""Ottla: Kafka's event streaming, from `pip install`. docs/ARCHITECTURE.md shows the way that a record takes.

    ottla.Producer, ottla.Consumer, ottla.Admin    clients for programs with threads
    ottla.aio                                      the same for asyncio

They are imported when they are first used: `import ottla` alone stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ottla.clients.admin.admin import Admin
    from ottla.clients.consumer.consumer import Consumer
    from ottla.clients.producer.producer import Producer
    from ottla.model import TopicPartition

__version__ = "0.1.0"

_LAZY = {
    "Admin": "ottla.clients.admin.admin",
    "Consumer": "ottla.clients.consumer.consumer",
    "Producer": "ottla.clients.producer.producer",
    "TopicPartition": "ottla.model",
}

__all__ = ["Admin", "Consumer", "Producer", "TopicPartition", "__version__"]


def __getattr__(name: str) -> object:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'ottla' has no attribute {name!r}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
