"""What the broker is asked and answers, byte by byte, is what was recorded: one file per API and version.

`pytest tests/server/test_recorded_session.py --rewrite` records anew; then read the diff: every line that changes is a
byte that clients see.
"""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from ottla.protocol.apis import api_info
from ottla.protocol.codec import decode, encode
from ottla.protocol.headers import decode_response_header
from ottla.protocol.message import Request
from ottla.protocol.messages.api_versions import ApiVersionsRequest
from ottla.testing import EmbeddedBroker
from support.masked_messages import Mask
from support.raw_group import await_coordinator
from support.raw_kafka import RawKafka
from support.scripted_session import PROPERTIES, ScriptedSession

RECORDED = Path(__file__).parent.parent / "data" / "wire"


class Recorder:
    """Asks, and writes down both ways as lines of hexadecimal digits, by the name of their file."""

    def __init__(self, raw: RawKafka) -> None:
        self._raw = raw
        self._mask = Mask()
        self.files: dict[str, list[str]] = defaultdict(list)

    def ask(self, request: Request, version: int) -> Any:
        info = api_info(request.API_KEY)
        self._raw.send(request, version)
        self._raw.expect_nothing()
        frame = self._raw.receive_frame()
        _, position = decode_response_header(request.API_KEY, version, frame)
        response, end = decode(info.response_class(), version, frame, position)
        assert end == len(frame)
        assert encode(response, version) == frame[position:], "the response is what the codec makes of it"
        again, _ = decode(info.response_class(), version, frame, position)
        lines = self.files[f"{info.name}-{version}.txt"]
        for sign, message in ((">", request), ("<", again)):
            self._mask.apply(message, version)
            lines.append(f"{sign} {encode(message, version).hex()}")
        return response


def played() -> dict[str, list[str]]:
    with EmbeddedBroker(properties=PROPERTIES) as broker, RawKafka(broker.bootstrap_servers) as raw:
        served = raw.ask(ApiVersionsRequest(client_software_name="scripted", client_software_version="1"), 3)
        await_coordinator(raw, "group")
        recorder = Recorder(raw)
        versions = {api.api_key: range(api.min_version, api.max_version + 1) for api in served.api_keys}
        ScriptedSession(recorder.ask, versions).run()
        asked = {name.rpartition("-")[0] for name in recorder.files}
        assert asked == {api_info(key).name for key in versions}, "every API that is served is asked"
        return recorder.files


def test_a_scripted_session_is_answered_as_it_was_recorded(request: pytest.FixtureRequest) -> None:
    files = {name: "\n".join(lines) + "\n" for name, lines in played().items()}
    if request.config.getoption("--rewrite"):
        for path in RECORDED.glob("*.txt"):
            path.unlink()
        RECORDED.mkdir(exist_ok=True)
        for name, text in files.items():
            (RECORDED / name).write_text(text)
    recorded = {path.name: path.read_text() for path in RECORDED.glob("*.txt")}
    assert sorted(files) == sorted(recorded)
    assert [name for name in files if files[name] != recorded[name]] == []
