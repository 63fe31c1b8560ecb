"""`/kafka-acl*`: the rules of one resource in one znode, and the notices that they changed.

Literal resources lie under /kafka-acl, prefixed ones under /kafka-acl-extended/prefixed. The notices of the first are
text, `TOPIC:views`; those of the second are JSON.
"""

from collections.abc import Iterable
from typing import NamedTuple

from ottla.coordination.errors import PayloadError
from ottla.coordination.payloads.document import decode_json, encode_json


class AclRule(NamedTuple):
    principal: str
    permission_type: str  # Allow or Deny
    host: str
    operation: str  # Read, Write, ... as Kafka's tools spell them


class ResourcePattern(NamedTuple):
    resource_type: str  # TOPIC, GROUP, ... in notices; Topic, Group, ... in paths
    name: str
    pattern_type: str = "LITERAL"


def encode_acls(rules: Iterable[AclRule]) -> bytes:
    acls = [
        {"principal": r.principal, "permissionType": r.permission_type, "host": r.host, "operation": r.operation}
        for r in rules
    ]
    return encode_json({"acls": acls, "version": 1})


def decode_acls(path: str, data: bytes) -> frozenset[AclRule]:
    if not data:
        return frozenset()
    return frozenset(
        AclRule(item.text("principal"), item.text("permissionType"), item.text("host", "*"), item.text("operation"))
        for item in decode_json(path, data).documents("acls")
    )


def encode_acl_change(resource: ResourcePattern) -> bytes:
    if resource.pattern_type == "LITERAL":
        return f"{resource.resource_type}:{resource.name}".encode()
    return encode_json(
        {
            "version": 1,
            "resourceType": resource.resource_type,
            "name": resource.name,
            "patternType": resource.pattern_type,
        }
    )


def decode_acl_change(path: str, data: bytes) -> ResourcePattern:
    if data.startswith(b"{"):
        document = decode_json(path, data)
        return ResourcePattern(
            document.text("resourceType"), document.text("name"), document.text("patternType", "LITERAL")
        )
    resource_type, separator, name = data.decode("utf-8", "replace").partition(":")
    if not separator or not name:
        raise PayloadError(path, f"not a resource: {data[:80]!r}")
    return ResourcePattern(resource_type, name)
