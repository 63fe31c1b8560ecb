"""Parts for the tests of programs that use Kafka.

    embedded_broker     EmbeddedBroker: brokers and their ZooKeeper in a temporary directory, on free ports
    running_broker      one broker of it, on a thread's event loop or as a process
    child               what such a process runs
    properties          how a broker for tests is configured
    memory_session      a ZooKeeper in this process, with a clock that the test moves: `Session` over a tree of znodes
    pytest_plugin       the fixtures `ottla_broker` and `ottla_topic`

`EmbeddedBroker` is imported when it is first asked for: pytest loads the plugin in every run, tests of ours or not.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ottla.testing.embedded_broker import EmbeddedBroker

__all__ = ["EmbeddedBroker"]


def __getattr__(name: str) -> object:
    if name != "EmbeddedBroker":
        raise AttributeError(f"module 'ottla.testing' has no attribute {name!r}")
    from ottla.testing.embedded_broker import EmbeddedBroker

    return EmbeddedBroker
