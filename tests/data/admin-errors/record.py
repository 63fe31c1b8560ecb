"""Writes down what Apache Kafka 3.9.1 in ZooKeeper mode answers to the table in tests/support/admin_errors.

    PYTHONPATH=tests .venv/bin/python tests/data/admin-errors/record.py
"""

import json
import tempfile
from pathlib import Path

from support.admin_errors.replay import RECORDED, replay
from support.broker import kafka_on_zookeeper

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory, kafka_on_zookeeper(Path(directory)) as kafka:
        answers = replay(kafka.address)
    lines = (f"{json.dumps(name)}: {json.dumps(answer, sort_keys=True)}" for name, answer in answers.items())
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(answers)} answers in {RECORDED}")
