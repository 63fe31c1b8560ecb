"""`kafka-delete-records`: delete what lies before the offsets of a JSON file."""

import json
from collections.abc import Sequence
from pathlib import Path

from ottla.cli.kafka.clients import open_admin
from ottla.cli.kafka.java import exception_name, exception_text
from ottla.cli.kafka.options import ToolOptions, bootstrap_options
from ottla.errors.tree import OperatorError
from ottla.model import TopicPartition


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka-delete-records", "Delete the records before offsets.")
    bootstrap_options(options)
    options.value("--offset-json-file", required=True, help='{"partitions": [{"topic", "partition", "offset"}]}')
    given = options.parse(arguments)
    before = read_offsets(given.offset_json_file)
    print("Executing records delete operation")
    with open_admin(given.bootstrap_server, given.command_config) as admin:
        outcomes = admin.delete_records(before)
    print("Records delete operation completed:")
    for partition in before:
        if partition in outcomes.errors:
            error = outcomes.errors[partition]
            print(f"partition: {partition}\terror: {exception_name(error)}: {exception_text(error)}")
        else:
            print(f"partition: {partition}\tlow_watermark: {outcomes[partition]}")
    return 0


def read_offsets(path: str) -> dict[TopicPartition, int]:
    """OperatorError for a file that is not there or says something else."""
    try:
        document = json.loads(Path(path).read_text())
        offsets = {
            TopicPartition(entry["topic"], int(entry["partition"])): int(entry["offset"])
            for entry in document["partitions"]
        }
    except OSError as error:
        raise OperatorError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise OperatorError(f"{path} is not of the form {{'partitions': [...], 'version': 1}}: {error!r}") from error
    if len(offsets) != len(document["partitions"]):
        raise OperatorError(f"{path} names a partition twice")
    return offsets
