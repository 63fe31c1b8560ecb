"""The tree of what can go wrong, by whose fault it is.

    OttlaError
      KafkaError           (errors.kafka) a response with a code of the protocol
      PeerError            the other side of a socket sent nonsense: close that connection, count it, go on
        DecodeError        bytes that are no message
        FrameError         a frame whose size is impossible or over the bound
      OperatorError        a person must change something; the message says what; the process exits with 2
        ConfigError        a key or value that cannot be
      LogDirError          a log directory failed (EIO, failed fsync): it goes offline, the broker goes on

Our own bugs are `assert`s and plain Python exceptions: they are never mapped to any of these.
"""


class OttlaError(Exception):
    """Everything that Ottla raises on purpose."""


class PeerError(OttlaError):
    """The peer's fault. Ends its connection and nothing else."""


class DecodeError(PeerError):
    """Bytes from outside that are not what they claim to be."""


class FrameError(PeerError):
    """A frame with a size that is impossible or not allowed here."""


class OperatorError(OttlaError):
    """Something that a person has to put right. The message says what to do."""


class ConfigError(OperatorError):
    """A configuration key or value that cannot be."""


class LogDirError(OttlaError):
    """A log directory failed and must go offline."""

    def __init__(self, directory: str, message: str) -> None:
        super().__init__(f"log directory {directory}: {message}")
        self.directory = directory
