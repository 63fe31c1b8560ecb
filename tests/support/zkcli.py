"""Debian's zkCli.sh, run against a server that the test has started."""

import os
import subprocess
from pathlib import Path

from support.peers import absent, require_command
from support.zookeepers import ZooKeeperProcess

ZKCLI = Path("/usr/share/zookeeper/bin/zkCli.sh")


def run_zkcli(server: ZooKeeperProcess, *commands: str) -> str:
    """All that it prints when it is given these commands, then `quit`."""
    if not ZKCLI.exists():
        absent("Debian's zookeeper package")
    require_command("java")
    environment = os.environ | {"JVMFLAGS": "-Xmx64m -XX:TieredStopAtLevel=1", "ZOO_LOG_DIR": str(server.directory)}
    done = subprocess.run(
        [str(ZKCLI), "-server", server.address],
        input="\n".join([*commands, "quit"]) + "\n",
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr
