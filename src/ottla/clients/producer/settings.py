"""The producer's configuration as the numbers that its parts use, with the rules between keys that Kafka checks."""

from typing import NamedTuple

from ottla.clients.configuration import ClientConfig
from ottla.errors import ConfigError
from ottla.records.attributes import Codec

ACKS = {"all": -1, "-1": -1, "0": 0, "1": 1}
IN_FLIGHT_MAX_IDEMPOTENT = 5
# A batch of send_many is not kept small for latency's sake.
BULK_BATCH_BYTES = 512 * 1024


class ProducerSettings(NamedTuple):
    acks: int
    batch_size: int
    bulk_batch_size: int
    linger_ms: int
    max_request_size: int
    buffer_memory: int
    max_block_ms: int
    buffer_block_ms: int
    request_timeout_ms: int
    delivery_timeout_ms: int
    retries: int
    max_in_flight: int
    is_idempotent: bool
    codec: Codec
    level: int | None
    ignore_keys: bool


def producer_settings(config: ClientConfig) -> ProducerSettings:
    acks = ACKS[config.required_string("acks")]
    codec = Codec.named(config.required_string("compression.type"))
    batch_size, max_request_size = config.int("batch.size"), config.int("max.request.size")
    return ProducerSettings(
        acks=acks,
        batch_size=batch_size,
        bulk_batch_size=max(batch_size, min(BULK_BATCH_BYTES, max_request_size // 2)),
        linger_ms=config.int("linger.ms"),
        max_request_size=max_request_size,
        buffer_memory=config.int("buffer.memory"),
        max_block_ms=config.int("max.block.ms"),
        # block.on.buffer.full=false: fail at once when the buffer is full, and wait for metadata all the same.
        buffer_block_ms=config.int("max.block.ms") if config.bool("block.on.buffer.full") else 0,
        request_timeout_ms=config.int("request.timeout.ms"),
        delivery_timeout_ms=_delivery_timeout_ms(config),
        retries=config.int("retries"),
        max_in_flight=config.int("max.in.flight.requests.per.connection"),
        is_idempotent=_is_idempotent(config, acks),
        codec=codec,
        level=_level(config, codec),
        ignore_keys=config.bool("partitioner.ignore.keys"),
    )


def _delivery_timeout_ms(config: ClientConfig) -> int:
    delivery = config.int("delivery.timeout.ms")
    smallest = min(config.int("linger.ms") + config.int("request.timeout.ms"), 2**31 - 1)
    if delivery >= smallest:
        return delivery
    if "delivery.timeout.ms" in config.given:
        raise ConfigError("delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms")
    return smallest


def _is_idempotent(config: ClientConfig, acks: int) -> bool:
    """On by default; off when another setting rules it out, an error when it was asked for all the same."""
    if not config.bool("enable.idempotence"):
        return False
    obstacles = {
        "Must set acks to all in order to use the idempotent producer": acks != -1,
        "Must set retries to non-zero when using the idempotent producer": config.int("retries") == 0,
        "Must set max.in.flight.requests.per.connection to at most 5 to use the idempotent producer": (
            config.int("max.in.flight.requests.per.connection") > IN_FLIGHT_MAX_IDEMPOTENT
        ),
    }
    for sentence, holds in obstacles.items():
        if holds and "enable.idempotence" in config.given:
            raise ConfigError(sentence)
    return not any(obstacles.values())


def _level(config: ClientConfig, codec: Codec) -> int | None:
    """The codec's level, where one was set."""
    key = f"compression.{codec.name.lower()}.level"
    level = config.given.get(key)
    return level if isinstance(level, int) and level != -1 else None
