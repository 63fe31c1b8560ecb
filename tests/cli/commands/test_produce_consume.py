"""`ottla produce` and `ottla consume`, alone, in pipes, and beside kcat's habits."""

import json
import signal
import subprocess
from pathlib import Path

import ottla as clients
from ottla.testing import EmbeddedBroker
from support.command import Ottla


def filled(ottla: Ottla, topic: str, count: int = 10) -> None:
    ottla("produce", topic, "-K:", "-p", "0", stdin="".join(f"k{number}:v{number}\n" for number in range(count)))


def test_lines_go_in_and_come_out(ottla: Ottla, topic: str) -> None:
    ottla("produce", topic, "-p", "1", stdin="one\ntwo\n\nlast")
    assert ottla("consume", topic, "-e") == "one\ntwo\n\nlast\n"


def test_bytes_are_not_touched(ottla: Ottla, topic: str) -> None:
    with ottla.start("produce", topic, "-D", r"\x00", "-p", "0", text=False) as process:
        process.communicate(b"\xff\xfe\nx\x00\r\n\x00", 30)
    with ottla.start("consume", topic, "-e", "-D", "|", text=False) as process:
        assert process.communicate(timeout=30)[0] == b"\xff\xfe\nx|\r\n|"


def test_keys_formats_and_counts(ottla: Ottla, topic: str) -> None:
    filled(ottla, topic)
    assert ottla("consume", topic, "-e", "-c", "2", "-f", r"%t %p %o %k %s %S %%\n") == (
        f"{topic} 0 0 k0 v0 2 %\n{topic} 0 1 k1 v1 2 %\n"
    )
    assert ottla("consume", topic, "-c", "1", "-K=") == "k0=v0\n"


def test_offsets_as_kcat_has_them(ottla: Ottla, topic: str) -> None:
    filled(ottla, topic)
    assert ottla("consume", topic, "-e", "-o", "-2") == "v8\nv9\n"
    assert ottla("consume", topic, "-e", "-o", "7") == "v7\nv8\nv9\n"
    assert ottla("consume", topic, "-e", "-o", "end") == ""
    assert ottla("consume", topic, "-e", "-o", "beginning", "-c", "1") == "v0\n"
    first = json.loads(ottla("consume", topic, "-J", "-c", "1"))
    assert ottla("consume", topic, "-e", "-o", f"e@{first['ts']}") == ""
    assert ottla("consume", topic, "-e", "-o", "s@1", "-o", f"e@{first['ts'] + 10**9}").startswith("v0\n")
    assert "s@TIME" in ottla.fails("consume", topic, "-o", "tomorrow", code=2)


def test_json_round_trip(ottla: Ottla, topic: str, broker: EmbeddedBroker, name: str) -> None:
    ottla("produce", topic, "-k", "key", "-H", "a=1", "-H", "b=2", stdin="value\n")
    envelope = ottla("consume", topic, "-J", "-e")
    found = json.loads(envelope)
    assert (found["key"], found["payload"], found["headers"]) == ("key", "value", ["a", "1", "b", "2"])
    copy = broker.create_topic(f"{name}-copy")
    ottla("produce", "-t", copy, "-J", stdin=envelope)
    again = json.loads(ottla("consume", copy, "-J", "-e"))
    assert again == found | {"topic": copy, "partition": 0}


def test_json_keeps_every_byte_and_header(ottla: Ottla, topic: str, broker: EmbeddedBroker, name: str) -> None:
    sent = (b"\xff\x00", b"\xff\xfe\n", (("a", b"\x80"), ("a", None), ("a", b"")))
    copy = broker.create_topic(f"{name}-copy")
    with clients.Producer(broker.bootstrap_servers) as producer:
        producer.send(topic, sent[1], sent[0], headers=sent[2]).result(20)
        producer.send(topic, None, None).result(20)
    ottla("produce", "-t", copy, "-J", stdin=ottla("consume", topic, "-J", "-e"))
    ottla("produce", "-t", copy, "-J", stdin=ottla("consume", topic, "-e", "--format", "jsonl"))
    with clients.Consumer(broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([(copy, 0)])
        found: list[clients.ConsumerRecord] = []
        while len(found) < 4:
            found += consumer.poll(10_000)
    assert {record[-3:] for record in found} == {sent, (None, None, ())}
    assert '"/wA="' in ottla("consume", topic, "-e", "--format", "json")
    assert "/wA=" in ottla("consume", topic, "-e", "--format", "csv")


def test_null_is_told_from_empty(ottla: Ottla, topic: str) -> None:
    ottla("produce", topic, "-p", "0", "-K:", "-Z", stdin="k:\n:v\n")
    assert ottla("consume", topic, "-e", "-Z", "-K:") == "k:NULL\nNULL:v\n"
    assert ottla("consume", topic, "-e", "-f", r"%K %S;") == "1 -1;-1 1;"


def test_files_are_records_or_hold_them(ottla: Ottla, topic: str, tmp_path: Path) -> None:
    file = tmp_path / "input.txt"
    file.write_text("a\nb\n")
    ottla("produce", topic, str(file), "-p", "0")
    ottla("produce", topic, str(file), "-l", "-p", "0", "-z", "zstd")
    assert ottla("consume", topic, "-e", "-D", ";") == "a\nb\n;a;b;"
    assert "cannot read" in ottla.fails("produce", topic, str(tmp_path / "missing"), code=2)


def test_every_format_prints_records(ottla: Ottla, topic: str) -> None:
    filled(ottla, topic, 1)
    row = json.loads(ottla("consume", topic, "-e", "--format", "jsonl"))
    assert (row["topic"], row["offset"], row["key"], row["value"]) == (topic, 0, "k0", "v0")
    assert ottla("consume", topic, "-e", "--format", "csv").splitlines()[1].startswith(f"{topic},0,0,")


def test_group_goes_on_where_it_was(ottla: Ottla, topic: str, name: str) -> None:
    filled(ottla, topic, 5)
    assert ottla("consume", topic, "-G", name, "-e") == "".join(f"v{number}\n" for number in range(5))
    ottla("produce", topic, "-p", "0", stdin="more\n")
    assert ottla("consume", topic, "-G", name, "-e") == "more\n"


def test_consumer_that_follows_ends_cleanly_with_a_signal(ottla: Ottla, topic: str) -> None:
    filled(ottla, topic, 1)
    with ottla.start("consume", topic, "-u") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "v0\n"
        ottla("produce", topic, stdin="later\n")
        assert process.stdout.readline() == "later\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_pipe_from_one_to_the_other(ottla: Ottla, topic: str, broker: EmbeddedBroker, name: str) -> None:
    filled(ottla, topic)
    copy = broker.create_topic(f"{name}-copy")
    with ottla.start("consume", topic, "-e", "-K\t") as source:
        sink = ottla.start("produce", copy, "-K\t", stdin=source.stdout)
        assert sink.wait(30) == 0
        for stream in (sink.stdout, sink.stderr):
            assert stream is not None
            stream.close()
    assert ottla("offsets", copy, "--format", "csv").splitlines()[1].endswith(",10")


def test_dry_run_sends_nothing(ottla: Ottla, topic: str) -> None:
    done = ottla.run("produce", topic, "--dry-run", stdin="a\nb\n")
    assert "2 records would be sent" in done.stderr
    assert ottla("consume", topic, "-e") == ""


def test_unknown_topic_and_partition_are_errors(ottla: Ottla, topic: str) -> None:
    ottla.fails("consume", "nobody-made-this", "-e")
    assert "no partition 9" in ottla.fails("consume", topic, "-p", "9", "-e")


def test_kcat_reads_what_we_write_and_writes_what_we_read(ottla: Ottla, topic: str) -> None:
    from support.peers import require_command

    kcat = [require_command("kcat"), "-b", ottla.bootstrap_server, "-t", topic]
    filled(ottla, topic, 3)
    arguments = ["-C", "-e", "-q", "-o", "beginning", "-f", r"%t %p %o %k %s %S %T\n"]
    theirs = subprocess.run([*kcat, *arguments], capture_output=True, text=True, timeout=60, check=True).stdout
    assert ottla("consume", topic, "-e", "-f", arguments[-1]) == theirs
    subprocess.run([*kcat, "-P", "-p", "1"], input="theirs\n", text=True, timeout=60, check=True)
    assert ottla("consume", topic, "-p", "1", "-e") == "theirs\n"


def test_stored_offsets_are_those_of_a_group(ottla: Ottla, topic: str, name: str) -> None:
    ottla("produce", topic, "-p", "0", stdin="a\nb\nc\n")
    assert ottla("consume", topic, "-p", "0", "-G", name, "-c", "1") == "a\n"
    group = ("-X", f"group.id={name}")
    for _ in range(2):  # reading them does not move them
        assert ottla("consume", topic, "-p", "0", "-o", "stored", *group, "-e") == "b\nc\n"
    assert ottla("consume", topic, "-o", "stored", "-G", name, "-e") == "b\nc\n"
    assert "-G GROUP" in ottla.fails("consume", topic, "-o", "stored", code=2)
    assert "begins where the group is" in ottla.fails("consume", topic, "-o", "5", "-G", name, code=2)
