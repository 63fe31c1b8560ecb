"""Keys that stand for each other.

Three relations, each an ordered table:

- `FINER_FORMS`: the same setting in other units; the finer one wins where both are set (ms over minutes over hours).
- `DESCRIBED_WITH`: the keys that DescribeConfigs lists beside a key, in that order.
- `OLD_NAMES`: a key that is only another name; it counts where its present name is not set.
"""

MINUTE_MS = 60_000
HOUR_MS = 3_600_000

# key -> (coarser key, milliseconds of its unit) in the order of precedence.
FINER_FORMS: dict[str, tuple[tuple[str, int], ...]] = {
    "log.retention.ms": (("log.retention.minutes", MINUTE_MS), ("log.retention.hours", HOUR_MS)),
    "log.roll.ms": (("log.roll.hours", HOUR_MS),),
    "log.roll.jitter.ms": (("log.roll.jitter.hours", HOUR_MS),),
    "log.flush.interval.ms": (("log.flush.scheduler.interval.ms", 1),),
    "zookeeper.connection.timeout.ms": (("zookeeper.session.timeout.ms", 1),),
}

_RETENTION = ("log.retention.ms", "log.retention.minutes", "log.retention.hours")
_ROLL = ("log.roll.ms", "log.roll.hours")
_JITTER = ("log.roll.jitter.ms", "log.roll.jitter.hours")

DESCRIBED_WITH: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_RETENTION, _RETENTION),
    **dict.fromkeys(_ROLL, _ROLL),
    **dict.fromkeys(_JITTER, _JITTER),
    "log.flush.interval.ms": ("log.flush.interval.ms", "log.flush.scheduler.interval.ms"),
}

OLD_NAMES: dict[str, str] = {
    "log.dir": "log.dirs",
    "log.delete.delay.ms": "log.segment.delete.delay.ms",
    "offsets.topic.retention.minutes": "offsets.retention.minutes",
    "delegation.token.master.key": "delegation.token.secret.key",
    "node.id": "broker.id",
}

LISTENER_PREFIX = "listener.name."


def base_key(key: str) -> str:
    """`listener.name.NAME.KEY` is KEY for one listener (for SASL also NAME.MECHANISM.KEY); others are themselves."""
    if not key.startswith(LISTENER_PREFIX):
        return key
    _, _, rest = key.removeprefix(LISTENER_PREFIX).partition(".")
    mechanism, _, of_mechanism = rest.partition(".")
    per_mechanism = "sasl" in of_mechanism or of_mechanism == "connections.max.reauth.ms"
    return of_mechanism if per_mechanism and mechanism != "sasl" else rest


def described_with(key: str) -> tuple[str, ...]:
    base = base_key(key)
    return (key, base) if base != key else DESCRIBED_WITH.get(key, (key,))
