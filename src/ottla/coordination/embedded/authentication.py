"""The auth request: a client proves who it is, at any time, as often as it likes.

Body: int type (unused), ustring scheme, buffer credential. The digest scheme takes `user:password`; which users exist
is nobody's business but the ACLs', unless zoo.cfg names the one credential that clients must have. A refused
credential is answered with AUTHFAILED and the connection is closed, as ZooKeeper does.
"""

from hmac import compare_digest
from typing import TYPE_CHECKING

from ottla.coordination.acl import SUPER_SCHEME, Id, digest_id
from ottla.coordination.embedded.client import Client
from ottla.coordination.embedded.jute import Reader
from ottla.coordination.errors import AuthFailedError

if TYPE_CHECKING:
    from ottla.coordination.embedded.processor import RequestProcessor


def handle_auth(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    reader.integer()
    scheme, credential = reader.string(), reader.buffer() or b""
    if scheme == "ip":  # proven by the connection itself
        return b""
    if scheme != "digest":
        raise AuthFailedError
    try:
        identity = digest_id(credential.decode())
    except UnicodeDecodeError:
        raise AuthFailedError from None
    _check_required(processor, client, credential)
    _add_identity(client, identity)
    if _equal(processor.config.super_digest, identity.id):
        _add_identity(client, Id(SUPER_SCHEME, ""))
    return b""


def _check_required(processor: "RequestProcessor", client: Client, credential: bytes) -> None:
    required = processor.config.require_client_auth
    if required is None or client.is_authenticated:
        return
    if not compare_digest(credential, required.encode()):
        raise AuthFailedError
    client.is_authenticated = True
    processor.confirm_session(client)


def _add_identity(client: Client, identity: Id) -> None:
    if identity not in client.identities:
        client.identities = (*client.identities, identity)


def _equal(expected: str | None, given: str) -> bool:
    return expected is not None and compare_digest(expected.encode(), given.encode())
