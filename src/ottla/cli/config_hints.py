"""Names the key that a mistyped one was meant to be, after the broker has refused it, which may know more keys."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ottla.errors.kafka import InvalidConfigError


def nearest_key(kind: str, key: str) -> str | None:
    """The nearest key of such a resource, where `key` itself is none."""
    from ottla.config.definition import nearest
    from ottla.config.keys import broker_keys, topic_keys

    known = topic_keys() if kind == "topic" else broker_keys()
    return None if key in known else nearest(key, known)


@contextmanager
def near_keys_named(kind: str, keys: Iterable[str]) -> Iterator[None]:
    """Within, an InvalidConfigError says what these keys of a topic or broker were probably meant to be."""
    try:
        yield
    except InvalidConfigError as error:
        meant = [near for key in keys if key in str(error) and (near := nearest_key(kind, key)) is not None]
        if not meant:
            raise
        raise InvalidConfigError(f"{error}: did you mean {', '.join(meant)}?") from error
