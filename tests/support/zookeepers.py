"""Debian's own ZooKeeper as a process on a free port."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.peers import absent, require_command
from support.ports import free_port

JAR = Path("/usr/share/java/zookeeper.jar")


@contextmanager
def debian_zookeeper(directory: Path) -> Iterator[str]:
    """Its address while it runs. Ticks of 100 ms, so that sessions may be short."""
    if not JAR.exists():
        absent("Debian's package libzookeeper-java")
    port = free_port()
    config = directory / "zoo.cfg"
    config.write_text(
        f"clientPort={port}\nclientPortAddress=127.0.0.1\ndataDir={directory / 'data'}\ntickTime=100\n"
        "admin.enableServer=false\nmaxClientCnxns=0\nmaxSessionTimeout=60000\n4lw.commands.whitelist=*\n"
        "forceSync=no\n"
    )
    java = [require_command("java"), "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", str(JAR)]
    with (directory / "zookeeper.log").open("wb") as log:
        command = [*java, "org.apache.zookeeper.server.ZooKeeperServerMain", str(config)]
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_until_answering(server, port)
        yield f"127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def _wait_until_answering(server: "subprocess.Popen[bytes]", port: int) -> None:
    import socket

    for _ in range(600):
        if server.poll() is not None:
            raise AssertionError("ZooKeeper ended at once")
        try:
            with socket.create_connection(("127.0.0.1", port), 1) as connection:
                connection.sendall(b"ruok")
                if connection.recv(4) == b"imok":
                    return
        except OSError:
            pass
        time.sleep(0.05)
    raise AssertionError("ZooKeeper did not answer")
