"""`kafka-log-dirs`: what lies in the log directories of brokers, as JSON."""

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ottla.cli.kafka.clients import open_admin
from ottla.cli.kafka.options import ToolOptions, bootstrap_options
from ottla.clients.admin.types import LogDirDescription


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka-log-dirs", "What lies in the log directories of brokers.")
    bootstrap_options(options)
    options.flag("--describe")
    options.value("--topic-list", default="", help="topics, with commas between them; all without it")
    options.value("--broker-list", help="broker ids, with commas between them; all without it")
    given = options.parse(arguments)
    if not given.describe:
        options.fail('Missing required argument "[describe]"')
    topics = {name for name in given.topic_list.split(",") if name}
    with open_admin(given.bootstrap_server, given.command_config) as admin:
        known = sorted(broker.node_id for broker in admin.describe_cluster().brokers)
        wanted = known if given.broker_list is None else [int(one) for one in given.broker_list.split(",") if one]
        missing = [broker for broker in wanted if broker not in known]
        if missing:
            print(
                f"ERROR: The given brokers do not exist from --broker-list: {', '.join(map(str, missing))}. "
                f"Current existent brokers: {', '.join(map(str, known))}",
                file=sys.stderr,
            )
            return 1
        print("Querying brokers for log directories information")
        found = admin.describe_log_dirs(wanted).check()
    print(f"Received log directory information from brokers {','.join(map(str, wanted))}")
    brokers = [{"broker": broker, "logDirs": _directories(found[broker], topics)} for broker in wanted]
    print(json.dumps({"brokers": brokers, "version": 1}, separators=(",", ":")))
    return 0


def _directories(found: Mapping[str, LogDirDescription], topics: Collection[str]) -> list[dict[str, Any]]:
    return [
        {
            "partitions": [
                {
                    "partition": str(partition),
                    "size": replica.size_bytes,
                    "offsetLag": replica.offset_lag,
                    "isFuture": replica.is_future,
                }
                for partition, replica in sorted(directory.replicas.items())
                if not topics or partition.topic in topics
            ],
            "error": None,
            "logDir": path,
        }
        for path, directory in found.items()
    ]
