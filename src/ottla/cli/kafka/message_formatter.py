"""How `kafka-console-consumer` prints a record: Kafka's DefaultMessageFormatter with its properties.

    print.timestamp  print.partition  print.offset  print.headers  print.key  print.value     false but the last
    key.separator (tab)  line.separator (line break)  headers.separator (,)  null.literal (null)

The columns come in that order. Deserializers are named as in Java; text and bytes are printed as they are.
"""

from collections.abc import Callable, Mapping
from struct import Struct, error
from uuid import UUID

from ottla.clients.consumer.record import ConsumerRecord
from ottla.errors.tree import OperatorError

Printer = Callable[[bytes], bytes]

_NUMBERS = {"Long": ">q", "Integer": ">i", "Short": ">h", "Double": ">d", "Float": ">f"}


def find_printer(class_name: str | None) -> Printer:
    """From a value's bytes to what is printed, by the name of a deserializer."""
    name = (class_name or "String").rpartition(".")[2].removesuffix("Deserializer")
    if name in _NUMBERS:
        layout = Struct(_NUMBERS[name])
        return lambda data: _number(layout, data)
    if name == "UUID":
        return lambda data: str(UUID(data.decode())).encode()
    if name in ("String", "ByteArray", "Bytes", "ByteBuffer"):
        return lambda data: data
    raise OperatorError(f"there is no deserializer {class_name} here: String, ByteArray, UUID, {', '.join(_NUMBERS)}")


def _number(layout: Struct, data: bytes) -> bytes:
    try:
        return str(layout.unpack(data)[0]).encode()
    except error:
        raise OperatorError(f"a value of {len(data)} bytes is no number of {layout.size}") from None


class DefaultMessageFormatter:
    def __init__(
        self, properties: Mapping[str, str], key_class: str | None = None, value_class: str | None = None
    ) -> None:
        def enabled(name: str, default: bool = False) -> bool:
            return properties.get(f"print.{name}", str(default)).strip().lower() == "true"

        self._timestamp, self._partition, self._offset = enabled("timestamp"), enabled("partition"), enabled("offset")
        self._headers, self._key, self._value = enabled("headers"), enabled("key"), enabled("value", True)
        self._separator = properties.get("key.separator", "\t").encode()
        self._line_separator = properties.get("line.separator", "\n").encode()
        self._headers_separator = properties.get("headers.separator", ",").encode()
        self._null = properties.get("null.literal", "null").encode()
        self._print_key = find_printer(properties.get("key.deserializer", key_class))
        self._print_value = find_printer(properties.get("value.deserializer", value_class))

    def __call__(self, record: ConsumerRecord) -> bytes:
        columns = []
        if self._timestamp:
            kind = b"LogAppendTime" if record.timestamp_type else b"CreateTime"
            columns.append(b"NO_TIMESTAMP" if record.timestamp < 0 else b"%s:%d" % (kind, record.timestamp))
        if self._partition:
            columns.append(b"Partition:%d" % record.partition)
        if self._offset:
            columns.append(b"Offset:%d" % record.offset)
        if self._headers:
            columns.append(self._header_text(record))
        if self._key:
            columns.append(self._null if record.key is None else self._print_key(record.key))
        if self._value:
            columns.append(self._null if record.value is None else self._print_value(record.value))
        return self._separator.join(columns) + self._line_separator

    def _header_text(self, record: ConsumerRecord) -> bytes:
        if not record.headers:
            return b"NO_HEADERS"
        return self._headers_separator.join(
            name.encode() + b":" + (self._null if value is None else value) for name, value in record.headers
        )


def find_formatter(
    class_name: str | None, properties: Mapping[str, str], key_class: str | None, value_class: str | None
) -> Callable[[ConsumerRecord], bytes]:
    name = (class_name or "DefaultMessageFormatter").rpartition(".")[2]
    if name == "NoOpMessageFormatter":
        return lambda record: b""
    if name in ("DefaultMessageFormatter", "LoggingMessageFormatter"):
        return DefaultMessageFormatter(properties, key_class, value_class)
    raise OperatorError(f"there is no formatter {class_name} here: DefaultMessageFormatter, NoOpMessageFormatter")
