"""Where a table lies, as `--to` and catalogs write it: a directory, or a file URL of one.

    /data/clicks   clicks   ~/clicks   file:///data/clicks      a directory that Spark's workers share
    s3://bucket/clicks   hdfs:/clicks   file://host/clicks      refused: nothing here could write it

A URL is never taken for the name of a folder: such a load would succeed, and its rows be where nobody looks.
"""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ottla.errors import ConfigError

# `s3:/x` is a slip of the finger for a URL; who has a folder of that name writes `./s3:/x`.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
_THIS_MACHINE = ("", "localhost")


def local_directory(name: str) -> Path:
    """The absolute path; ConfigError where the name is that of another place."""
    found = _SCHEME.match(name)
    if found is None:
        return _expanded(name).absolute()
    if found[1].lower() != "file":
        raise ConfigError(
            f"{name}: a table goes to a directory on a file system that all of Spark's workers share; object stores "
            f"and other URLs ({found[1]}:) are not supported yet. Load to a directory (parquet:/data/clicks, "
            "delta:/data/clicks, iceberg:/data/lake/web.clicks)"
        )
    url = urlsplit(name)
    if url.netloc not in _THIS_MACHINE:
        raise ConfigError(f"{name}: {url.netloc} would be another machine; write file:///{url.netloc}{url.path}")
    return Path(unquote(url.path))


def _expanded(name: str) -> Path:
    """The shell leaves the ~ of `parquet:~/clicks` as it is."""
    try:
        return Path(name).expanduser()
    except RuntimeError as error:
        raise ConfigError(f"{name}: {error}") from error
