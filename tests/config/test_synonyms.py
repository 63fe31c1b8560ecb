import pytest

from ottla.config.keys import broker_keys
from ottla.config.synonyms import DESCRIBED_WITH, FINER_FORMS, OLD_NAMES, base_key


@pytest.mark.parametrize(
    ("key", "base"),
    [
        ("ssl.keystore.location", "ssl.keystore.location"),
        ("listener.name.internal.ssl.keystore.location", "ssl.keystore.location"),
        ("listener.name.internal.sasl.enabled.mechanisms", "sasl.enabled.mechanisms"),
        ("listener.name.internal.scram-sha-256.sasl.jaas.config", "sasl.jaas.config"),
        ("listener.name.internal.plain.connections.max.reauth.ms", "connections.max.reauth.ms"),
        ("listener.security.protocol.map", "listener.security.protocol.map"),
    ],
)
def test_a_listeners_key_stands_for_the_key_without_the_prefix(key: str, base: str) -> None:
    assert base_key(key) == base


def test_synonyms_are_keys_that_exist_and_old_names_say_so_in_their_status() -> None:
    known = broker_keys()
    for fine, coarser in FINER_FORMS.items():
        assert {fine, *(key for key, _ in coarser)} <= known.keys()
    assert all(key in known and set(others) <= known.keys() for key, others in DESCRIBED_WITH.items())
    for old, present in OLD_NAMES.items():
        assert known[old].maps_to == present
