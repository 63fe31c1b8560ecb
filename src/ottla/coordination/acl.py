"""Who may do what to a znode: ACL entries, the identities of a caller, and the rule that matches the two.

An ACL is a tuple of `(permissions, (scheme, id))`. It belongs to one node and is not inherited. Schemes known here:

    world   `anyone`
    digest  `user:BASE64(SHA1(user:password))`; a caller proves it by sending `user:password`
    ip      an address, or `address/bits`
    auth    only in a request: stands for every proven identity of the caller

CREATE and DELETE are asked of the parent, the rest of the node itself. The identity `super` may do everything.
"""

import socket
from base64 import b64encode
from collections.abc import Iterable
from typing import NamedTuple

from ottla.coordination.errors import InvalidAclError

READ = 1
WRITE = 2
CREATE = 4
DELETE = 8
ADMIN = 16
ALL = 31


class Id(NamedTuple):
    scheme: str
    id: str


class Acl(NamedTuple):
    permissions: int
    id: Id


AclList = tuple[Acl, ...]

ANYONE = Id("world", "anyone")
SUPER_SCHEME = "super"
OPEN_ACL: AclList = (Acl(ALL, ANYONE),)
READ_ACL: AclList = (Acl(READ, ANYONE),)


class Caller(NamedTuple):
    """On whose behalf an operation runs."""

    session_id: int
    identities: tuple[Id, ...]


def digest_id(credential: str) -> Id:
    """The identity that `user:password` proves."""
    from hashlib import sha1

    user = credential.split(":", 1)[0]
    return Id("digest", f"{user}:{b64encode(sha1(credential.encode()).digest()).decode('ascii')}")


def permits(acl: AclList, permission: int, identities: Iterable[Id]) -> bool:
    """Whether one of the identities has at least one of the permission bits."""
    if not acl:
        return True
    identities = tuple(identities)
    if any(identity.scheme == SUPER_SCHEME for identity in identities):
        return True
    return any(entry.permissions & permission and _matches(entry.id, identities) for entry in acl)


def _matches(wanted: Id, identities: tuple[Id, ...]) -> bool:
    if wanted == ANYONE:
        return True
    if wanted.scheme == "ip":
        return any(identity.scheme == "ip" and address_matches(identity.id, wanted.id) for identity in identities)
    return wanted in identities


def resolve_acl(path: str, requested: Iterable[Acl], identities: tuple[Id, ...]) -> AclList:
    """The ACL to store for the one in a request: no duplicates, `auth` expanded; InvalidAclError if it cannot be."""
    resolved: list[Acl] = []
    for entry in dict.fromkeys(requested):
        resolved.extend(_resolve_entry(path, entry, identities))
    if not resolved:
        raise InvalidAclError(path)
    return tuple(resolved)


def _resolve_entry(path: str, entry: Acl, identities: tuple[Id, ...]) -> list[Acl]:
    scheme, name = entry.id
    if entry.id == ANYONE:
        return [entry]
    if scheme == "auth":
        proven = [Acl(entry.permissions, identity) for identity in identities if identity.scheme == "digest"]
        if not proven:
            raise InvalidAclError(path)
        return proven
    if scheme == "digest" and name.count(":") == 1 and not name.endswith(":"):
        return [entry]
    if scheme == "ip" and _parse_network(name) is not None:
        return [entry]
    raise InvalidAclError(path)


def hide_digests(acl: AclList) -> AclList:
    """What a reader without ADMIN gets to see: the users, not their password hashes."""
    return tuple(
        Acl(entry.permissions, Id("digest", entry.id.id.split(":", 1)[0] + ":x"))
        if entry.id.scheme == "digest"
        else entry
        for entry in acl
    )


def address_matches(address: str, network: str) -> bool:
    """Whether an address lies in `address` or `address/bits`."""
    wanted = _parse_network(network)
    given = _parse_address(address)
    if wanted is None or given is None or len(given) != len(wanted[0]):
        return False
    shift = len(given) * 8 - wanted[1]
    return int.from_bytes(given) >> shift == int.from_bytes(wanted[0]) >> shift


def _parse_network(text: str) -> tuple[bytes, int] | None:
    host, slash, bits_text = text.partition("/")
    address = _parse_address(host)
    if address is None:
        return None
    if not slash:
        return address, len(address) * 8
    if not bits_text.isascii() or not bits_text.isdigit() or int(bits_text) > len(address) * 8:
        return None
    return address, int(bits_text)


def _parse_address(text: str) -> bytes | None:
    try:
        return socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text)
    except (OSError, ValueError):  # ValueError: an embedded NUL
        return None
