"""A process around one version of kio: reads a line of JSON, answers with one. Knows nothing of ottla.

    python kio_worker.py FOLDER              FOLDER holds the kio package
    ["list"]                                 {"messages": {class name: {version: path}}, "error_codes": [...]}
    ["describe", path]                       the fields of a message, see `describe`
    ["recode", path, hex]                    {"values": [...], "hex": what kio writes for what it has read}

Values are lists in the order of the fields: structs are lists too, bytes are {"hex": ...}, times are milliseconds, and
what kio reads as None for a zero UUID or a missing time is that zero or -1 again.
"""

import datetime
import io
import json
import sys
import uuid
from dataclasses import fields, is_dataclass
from importlib import import_module
from types import NoneType
from typing import Any, get_args

sys.path.insert(0, sys.argv[1])

from kio.schema.errors import ErrorCode
from kio.schema.index import schema_name_map
from kio.serial import entity_reader, entity_writer

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
MILLISECOND = datetime.timedelta(milliseconds=1)


def list_messages() -> dict[str, Any]:
    messages: dict[str, dict[int, str]] = {}
    for versions in schema_name_map.values():
        for version, paths in versions.items():
            for path in paths.values():
                messages.setdefault(path.rpartition(":")[2], {})[version] = path
    return {"messages": messages, "error_codes": [int(code.value) for code in ErrorCode]}


def load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def describe(entity: Any) -> list[dict[str, Any]]:
    """Per field: its name, kio's type or the fields of a struct, whether it is an array or may be null, its tag."""
    described = []
    for field in fields(entity):
        inner, nullable, is_array = unwrap(field.type)
        kind = describe(inner) if is_dataclass(inner) else field.metadata["kafka_type"]
        tag = field.metadata.get("tag")
        described.append({"name": field.name, "type": kind, "array": is_array, "nullable": nullable, "tag": tag})
    return described


def unwrap(annotation: Any) -> tuple[Any, bool, bool]:
    inner, nullable = without_none(annotation)
    arguments = get_args(inner)
    if arguments and arguments[-1] is Ellipsis:
        return without_none(arguments[0])[0], nullable, True
    return inner, nullable, False


def without_none(annotation: Any) -> tuple[Any, bool]:
    alternatives = get_args(annotation)
    if NoneType not in alternatives:
        return annotation, False
    return next(alternative for alternative in alternatives if alternative is not NoneType), True


def recode(entity: Any, data: bytes) -> dict[str, Any]:
    value, size = entity_reader(entity)(data, 0)
    assert size == len(data), f"kio reads {size} of {len(data)} bytes"
    out = io.BytesIO()
    entity_writer(entity)(out, value)
    return {"values": plain_fields(value), "hex": out.getvalue().hex()}


def plain_fields(value: Any) -> list[Any]:
    return [plain(getattr(value, field.name), kind_when_null(field)) for field in fields(value)]


def kind_when_null(field: Any) -> str:
    """What stands for None; a null array is null, whatever its elements are."""
    return "array" if unwrap(field.type)[2] else field.metadata.get("kafka_type", "struct")


def plain(value: Any, kind: str) -> Any:
    if value is None:
        return {"uuid": str(uuid.UUID(int=0)), "datetime_i64": -1}.get(kind)
    if is_dataclass(value):
        return plain_fields(value)
    if isinstance(value, tuple):
        return [plain(element, "uuid") for element in value]
    if isinstance(value, ErrorCode):
        return int(value.value)
    return plain_scalar(value)


def plain_scalar(value: Any) -> Any:
    if isinstance(value, datetime.timedelta):
        return value // MILLISECOND
    if isinstance(value, datetime.datetime):
        return (value - EPOCH) // MILLISECOND
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, bytes | memoryview):
        return {"hex": bytes(value).hex()}
    return value


def answer(command: str, *arguments: str) -> Any:
    if command == "list":
        return list_messages()
    entity = load(arguments[0])
    return describe(entity) if command == "describe" else recode(entity, bytes.fromhex(arguments[1]))


for line in sys.stdin:
    try:
        reply = {"answer": answer(*json.loads(line))}
    except Exception as error:  # noqa: BLE001 - the test is told, and fails with it
        reply = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(reply), flush=True)
