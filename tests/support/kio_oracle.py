"""kio from the test's side: the worker process, and our messages in the form in which the worker tells its own."""

import json
import random
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any, Self

from ottla.protocol.field import Field, parse_versions
from ottla.protocol.layout import is_nullable
from ottla.protocol.message import Struct
from support.peers import PEERS, require_path

OUR_TYPES = {
    "bool": "boolean",
    "error_code": "int16",
    "timedelta_i32": "int32",
    "timedelta_i64": "int64",
    "datetime_i64": "int64",
}
NULLABLE_ONLY_IN_KIO = ("uuid", "datetime_i64")
"""kio shows a zero UUID and the time -1 as None; on the wire there is no null for them."""


class Kio:
    """One version of kio in a process of its own."""

    def __init__(self, version: str) -> None:
        self.version = version
        folder = require_path(PEERS / f"kio-{version}" / "complete").parent
        worker = Path(__file__).with_name("kio_worker.py")
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(worker), str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        known = self.ask("list")
        self.paths = {
            name: {int(version): path for version, path in paths.items()} for name, paths in known["messages"].items()
        }
        self.error_codes: list[int] = known["error_codes"]

    def ask(self, *command: str) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        reply = json.loads(self._process.stdout.readline())
        assert "error" not in reply, f"kio, {command}: {reply.get('error')}"
        return reply["answer"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def fields_in(struct_class: type[Struct], version: int) -> list[Field[Any]]:
    return [field for field in struct_class.FIELDS if version in parse_versions(field.versions)]


def describe(struct_class: type[Struct], version: int) -> list[dict[str, Any]]:
    """Our declaration in the form of the worker's `describe`."""
    described = []
    for field in fields_in(struct_class, version):
        inner = field.element if field.type == "array" else field
        if not isinstance(inner, Field):
            kind: Any = describe(inner, version)
        else:
            kind = describe(inner.element, version) if inner.type == "struct" else inner.type
        array, nullable = field.type == "array", is_nullable(field, version)
        described.append({"name": field.name, "type": kind, "array": array, "nullable": nullable, "tag": field.tag})
    return described


def in_our_words(description: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What kio describes, with our names of types."""
    translated = []
    for field in description:
        kind = field["type"]
        ours = in_our_words(kind) if isinstance(kind, list) else OUR_TYPES.get(kind, kind)
        nullable = field["nullable"] and (field["array"] or kind not in NULLABLE_ONLY_IN_KIO)
        translated.append(field | {"type": ours, "nullable": nullable})
    return translated


def bare_name(name: str) -> str:
    """kio writes `k_raft`, `type_`, and leaves out the unit of times; Kafka 4 calls the candidates of 3.9 replicas."""
    return name.replace("_", "").removesuffix("ms").replace("candidate", "replica")


def with_bare_names(description: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        field
        | {"name": bare_name(field["name"])}
        | ({"type": with_bare_names(field["type"])} if isinstance(field["type"], list) else {})
        for field in description
    ]


def plain_fields(message: Struct, version: int) -> list[Any]:
    return [plain(getattr(message, field.name), version) for field in fields_in(type(message), version)]


def plain(value: Any, version: int) -> Any:
    if isinstance(value, Struct):
        return plain_fields(value, version)
    if isinstance(value, list):
        return [plain(element, version) for element in value]
    if isinstance(value, uuid.UUID):
        return str(value)
    return {"hex": bytes(value).hex()} if isinstance(value, bytes | memoryview) else value


def restrict(rng: random.Random, message: Struct, description: list[dict[str, Any]], kio: Kio) -> None:
    """Gives fields that kio shows as an enumeration or a time values that it can show."""
    by_name = {bare_name(field["name"]): field for field in description}
    for field in message.FIELDS:
        described = by_name.get(bare_name(field.name))
        if described is None:
            continue
        value = getattr(message, field.name)
        if isinstance(described["type"], list):
            for struct in changeable_structs(value):
                restrict(rng, struct, described["type"], kio)
        else:
            setattr(message, field.name, representable(rng, value, described, kio))


def changeable_structs(value: Any) -> list[Struct]:
    """What stands in a field, without the defaults that messages share."""
    elements = value if isinstance(value, list) else [value]
    return [element for element in elements if element and type(element).__setattr__ is Struct.__setattr__]


def representable(rng: random.Random, value: Any, described: dict[str, Any], kio: Kio) -> Any:
    match described["type"]:
        case "error_code":
            return rng.choice(kio.error_codes)
        case "timedelta_i64":
            return rng.choice((-1, 0, 1, 86_400_000))
        case "datetime_i64":
            return rng.choice((0, 1_000, 1_700_000_000_000))
        case "records" if value is None and not described["nullable"]:
            return b""
        case _:
            return value
