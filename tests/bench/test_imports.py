"""What a start must not pay for. How long it takes is for the benchmark to say."""

import subprocess
import sys


def test_the_broker_is_imported_without_modules_that_it_does_not_need() -> None:
    program = "import ottla.broker.broker, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    costly = {"importlib.metadata", "email.message", "argparse", "pathlib", "kazoo.client", "click", "pyarrow"}
    assert costly.isdisjoint(done.stdout.split())
