"""How a command reaches its cluster: the options that all of them share, and the clients made from them."""

import functools
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ottla.cli.output import Format
from ottla.cli.profiles import load_profile
from ottla.errors.tree import ConfigError, OperatorError

if TYPE_CHECKING:
    from ottla import Admin, Consumer, Producer

F = TypeVar("F", bound=Callable[..., Any])
# A person waits for the response. Kafka's default, a minute, is for programs.
_TIMEOUT_MS = 15_000
_CONNECT_SECONDS_MAX = 5


class NoBrokerError(OperatorError):
    """No process listens at the broker's address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The cluster that a command talks to, and the form in which it prints."""

    bootstrap_server: str
    properties: dict[str, str]
    format: Format
    quiet: bool = False

    def admin(self) -> "Admin":
        from ottla import Admin

        self._prepare()
        return Admin(self.bootstrap_server, **self._config("admin", {"default.api.timeout.ms": _TIMEOUT_MS}))

    def producer(self, **defaults: Any) -> "Producer":
        from ottla import Producer

        self._prepare()
        return Producer(self.bootstrap_server, **self._config("producer", defaults))

    def consumer(self, **defaults: Any) -> "Consumer":
        from ottla import Consumer

        self._prepare()
        return Consumer(self.bootstrap_server, **self._config("consumer", defaults))

    def settings(self, kind: str, **defaults: Any) -> dict[str, str]:
        """The configuration of such a client as plain text, for those that are made elsewhere."""
        check_reachable(self.bootstrap_server)
        found = {"bootstrap.servers": self.bootstrap_server} | self._config(kind, defaults)
        return {key: str(value) for key, value in found.items()}

    def _prepare(self) -> None:
        """What goes before every client."""
        from ottla.cli.outage_lines import tell_outages

        check_reachable(self.bootstrap_server)
        tell_outages(quiet=self.quiet)

    def _config(self, kind: str, defaults: dict[str, Any]) -> Any:
        """The given properties over the command's own. One of another kind of client, from a profile, is left out."""
        from ottla.config import keys

        known = getattr(keys, f"{kind}_keys")()
        of_any = {name for each in ("admin", "producer", "consumer") for name in getattr(keys, f"{each}_keys")()}
        named = {name.replace("_", "."): value for name, value in defaults.items()}
        given = {name: value for name, value in self.properties.items() if name in known or name not in of_any}
        return named | given


def connected(command: F) -> F:
    """The options --bootstrap-server, --profile, -X and --format; the command gets a Target as its first argument."""

    @click.option("-b", "--bootstrap-server", metavar="HOST:PORT,...", help="Brokers to begin from.")
    @click.option("--profile", metavar="NAME", help="A cluster of the configuration file.")
    @click.option("-X", "properties", multiple=True, metavar="KEY=VALUE", help="A client property; may be repeated.")
    @click.option("--format", "form", type=click.Choice([form.value for form in Format]), help="How to print.")
    @functools.wraps(command)
    def call(
        *arguments: Any,
        bootstrap_server: str | None,
        profile: str | None,
        properties: tuple[str, ...],
        form: str | None,
        **options: Any,
    ) -> Any:
        return command(make_target(bootstrap_server, profile, properties, form), *arguments, **options)

    return call  # type: ignore[return-value]


def make_target(
    bootstrap_server: str | None = None,
    profile_name: str | None = None,
    properties: tuple[str, ...] = (),
    form: str | None = None,
) -> Target:
    profile = load_profile(profile_name)
    return Target(
        bootstrap_server=bootstrap_server or os.environ.get("OTTLA_BOOTSTRAP_SERVER") or profile.bootstrap_server,
        properties=profile.properties | dict(map(parse_property, properties)),
        format=Format(form or profile.format or Format.TABLE.value),
    )


def check_reachable(bootstrap_server: str) -> None:
    """Somebody listens at one of the addresses. Clients try for long; a person wants to know now."""
    from ottla.clients.addresses import parse_addresses

    problems = []
    for address in parse_addresses(bootstrap_server):
        try:
            socket.create_connection(address, _CONNECT_SECONDS_MAX).close()
            return
        except OSError as error:
            problems.append(f"{address}: {error.strerror or error}")
    raise NoBrokerError(f"no broker answers at {', '.join(problems)}")


def parse_property(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"{text}: a property is written key=value")
    return key.strip(), value.strip()
