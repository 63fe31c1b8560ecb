"""All clients by name. A driver is made on first use and lives until `close_all`, at the end of a test session."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from support.drivers.confluent import ConfluentDriver
from support.drivers.kcat import KcatDriver
from support.drivers.pipe import FranzDriver, JavaDriver, PythonDriver
from support.drivers.records import Driver
from support.peers import PEERS

OLD_KAFKA_PYTHON = PEERS / "kafka-python-2.3.3"

_MAKERS: dict[str, Callable[[], Driver]] = {
    "confluent-kafka": ConfluentDriver,
    "kafka-python": lambda: PythonDriver("kafka-python", "kafka_python_driver.py"),
    "kafka-python-2.3.3": lambda: PythonDriver("kafka-python-2.3.3", "kafka_python_driver.py", OLD_KAFKA_PYTHON),
    "aiokafka": lambda: PythonDriver("aiokafka", "aiokafka_driver.py"),
    "kcat": KcatDriver,
    "java-3.9.1": lambda: JavaDriver("3.9.1"),
    "java-4.3.0": lambda: JavaDriver("4.3.0"),
    "franz-go": lambda: FranzDriver("franz-go"),
}


def _pinned(version: str) -> dict[str, Callable[[], Driver]]:
    """The clients that can still speak to a broker of the year 2015 or 2016, told that ours is one."""
    settings = {"api.version": ".".join(version.split(".")[:2])}
    kcat_settings = {"api.version.request": "false", "broker.version.fallback": version}

    def kafka_python() -> Driver:
        return PythonDriver(f"kafka-python-2.3.3 as {version}", "kafka_python_driver.py", OLD_KAFKA_PYTHON, settings)

    def aiokafka() -> Driver:
        return PythonDriver(f"aiokafka as {version}", "aiokafka_driver.py", settings=settings)

    makers = {f"kafka-python-2.3.3 as {version}": kafka_python, f"aiokafka as {version}": aiokafka}
    if version.startswith("0.9"):  # From 0.10 on librdkafka takes it that the broker can be asked for its versions.
        makers[f"kcat as {version}"] = lambda: KcatDriver(f"kcat as {version}", kcat_settings)
    return {name: _without_headers(maker) for name, maker in makers.items()}


def _without_headers(maker: Callable[[], Driver]) -> Callable[[], Driver]:
    def make() -> Driver:
        driver = maker()
        driver.has_headers = False
        return driver

    return make


CLIENTS = tuple(_MAKERS)
PINNED_0_9 = tuple(_pinned("0.9.0"))
PINNED_0_10 = tuple(_pinned("0.10.0"))
_MAKERS.update(_pinned("0.9.0") | _pinned("0.10.0"))


def one_quick(chosen: str, names: Sequence[str] = CLIENTS) -> list[Any]:
    """Parameters for a test of all these clients, of which one runs in the usual run and the others in the long one."""
    return [pytest.param(name, marks=[] if name == chosen else [pytest.mark.long]) for name in names]


_drivers: dict[str, Driver] = {}


def driver(name: str) -> Driver:
    if name not in _drivers:
        _drivers[name] = _MAKERS[name]()
    return _drivers[name]


def close_all() -> None:
    for made in _drivers.values():
        made.close()
    _drivers.clear()
