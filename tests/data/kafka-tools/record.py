"""Writes into the transcripts beside it what Kafka 3.9.1's tools print with a Kafka 3.9.1 broker in ZooKeeper mode.

    PYTHONPATH=tests .venv/bin/python tests/data/kafka-tools/record.py
"""

import tempfile
from pathlib import Path

from support.admin_errors.world import make_world
from support.broker import kafka_on_zookeeper
from support.kafka_tools import kafka_tools
from support.tool_transcripts import TRANSCRIPTS, TranscribedTools, rewrite_transcript

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, kafka_on_zookeeper(Path(folder)) as kafka, kafka_tools() as tools:
        make_world(kafka.address)
        transcribed = TranscribedTools(tools, kafka.address, Path(folder))
        for transcript in sorted(TRANSCRIPTS.glob("*.txt")):
            rewrite_transcript(transcript, transcribed)
