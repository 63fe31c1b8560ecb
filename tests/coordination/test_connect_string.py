import pytest

from ottla.coordination.connect_string import parse_connect_string
from ottla.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "servers", "chroot"),
    [
        ("h1", (("h1", 2181),), ""),
        ("h1:2181,h2:2182/kafka/one", (("h1", 2181), ("h2", 2182)), "/kafka/one"),
        (" h1:1 , h2:2 ", (("h1", 1), ("h2", 2)), ""),
        ("[::1]:2181/", (("::1", 2181),), ""),
        ("[fe80::1]", (("fe80::1", 2181),), ""),
    ],
)
def test_hosts_and_chroot_are_taken_apart(text: str, servers: tuple[tuple[str, int], ...], chroot: str) -> None:
    assert parse_connect_string(text) == (servers, chroot)


def test_hosts_are_put_together_again_with_brackets() -> None:
    assert parse_connect_string("[::1]:7,h:8/x").hosts == "[::1]:7,h:8"


@pytest.mark.parametrize("text", ["", "h:x", "h:0", "h:70000", "h1,,h2", ":2181", "h/../x", "h//x"])
def test_nonsense_is_a_config_error(text: str) -> None:
    with pytest.raises(ConfigError, match=r"zookeeper\.connect"):
        parse_connect_string(text)
