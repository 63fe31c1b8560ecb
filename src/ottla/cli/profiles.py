"""Profiles: names for clusters, in a file.

    # ~/.config/ottla/config.toml, or the file that OTTLA_CONFIG names
    profile = "local"                       # used where no --profile is given

    [profiles.local]
    bootstrap-server = "localhost:9092"

    [profiles.production]
    bootstrap-server = "kafka1:9092,kafka2:9092"
    format = "json"
    properties = { "request.timeout.ms" = 5000 }

What is given on the command line wins, then the environment (OTTLA_BOOTSTRAP_SERVER, OTTLA_PROFILE), then the profile.
"""

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ottla.errors.tree import ConfigError

DEFAULT_BOOTSTRAP_SERVER = "localhost:9092"
_KEYS = {"bootstrap-server": str, "format": str, "properties": dict}
_FORMATS = ("table", "json", "jsonl", "csv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    bootstrap_server: str = DEFAULT_BOOTSTRAP_SERVER
    format: str | None = None
    properties: dict[str, str] = field(default_factory=dict)


def config_path() -> Path:
    """Where the file is looked for."""
    named = os.environ.get("OTTLA_CONFIG")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(base) / "ottla" / "config.toml"


def load_profile(name: str | None = None) -> Profile:
    """The profile of this name, or the one that environment or file name; the defaults where nobody names one."""
    document = _read(config_path())
    name = name or os.environ.get("OTTLA_PROFILE") or document.get("profile")
    if name is None:
        return Profile()
    profiles = document.get("profiles", {})
    if not isinstance(profiles, dict) or not isinstance(profiles.get(name, {}), dict):
        raise ConfigError(f"{config_path()}: a profile is a table like [profiles.{name}]")
    if name not in profiles:
        known = ", ".join(profiles) or "none"
        raise ConfigError(f"there is no profile {name} in {config_path()} (there are: {known})")
    return _profile(name, profiles[name])


def _profile(name: str, found: dict[str, Any]) -> Profile:
    unknown = set(found) - set(_KEYS)
    if unknown:
        raise ConfigError(f"profile {name}: unknown key {min(unknown)} (known: {', '.join(sorted(_KEYS))})")
    for key, value in found.items():
        if not isinstance(value, _KEYS[key]):
            raise ConfigError(f"profile {name}: {key} cannot be {value!r}")
    if found.get("format", "table") not in _FORMATS:
        raise ConfigError(f"profile {name}: format is one of {', '.join(_FORMATS)}, not {found['format']}")
    return Profile(
        bootstrap_server=found.get("bootstrap-server", DEFAULT_BOOTSTRAP_SERVER),
        format=found.get("format"),
        properties={key: _text(value) for key, value in found.get("properties", {}).items()},
    )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot use {path}: {error}") from error
