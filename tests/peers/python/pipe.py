"""The loop of a client behind a pipe: one JSON command per line in, one JSON answer per line out, bytes as hex."""

import json
import sys


def serve(operations):
    for line in sys.stdin:
        command = json.loads(line)
        if command["op"] == "quit":
            return
        try:
            answer = operations[command["op"]](command)
        except Exception as error:  # noqa: BLE001 - whatever the client raises is the answer
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def python_settings(command):
    """Java's names and values as Python clients take them: {"compression.type": "none"} as compression_type=None."""
    settings = {"bootstrap_servers": command["bootstrap"]}
    for name, text in command.get("config", {}).items():
        settings[name.replace(".", "_")] = _value(text)
    return settings


def _value(text):
    if text.lstrip("-").isdigit():
        return int(text)
    return {"none": None, "true": True, "false": False}.get(text, text)


def record_row(record, headers):
    return {
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": record.timestamp,
        "key": to_hex(record.key),
        "value": to_hex(record.value),
        "headers": [[name, to_hex(value)] for name, value in headers],
    }


def headers_of(row):
    return [(name, from_hex(value)) for name, value in row.get("headers") or []]


def to_hex(data):
    return None if data is None else bytes(data).hex()


def from_hex(text):
    return None if text is None else bytes.fromhex(text)
