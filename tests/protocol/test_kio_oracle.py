"""Our codec against kio's: the same declarations, and bytes of either read as the same values by the other.

kio 0.5.0 knows Kafka 3.9, kio 0.6.5 knows Kafka 4.x; each runs in a process of its own. Every message and version that
one of them knows is tried; what none knows is listed here.
"""

import random
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import decode, encode
from ottla.protocol.headers import RequestHeader, decode_request_header, encode_request_header, encode_response_header
from support.kio_oracle import Kio, describe, in_our_words, plain_fields, restrict, with_bare_names
from support.message_values import all_message_classes, random_message

KIO_VERSIONS = ("0.5.0", "0.6.5")
MESSAGES_PER_VERSION = 3

ONLY_IN_KIO = {"RequestHeader", "ResponseHeader", "ControlRecordTypeSchema", "EndTxnMarker"}
"""Headers are functions here, the two control records belong to `ottla.records`."""

NOT_IN_KIO = {"QuorumStateData"}
"""Besides the coordinators' records: a file of KRaft's."""

DIFFERENT = {("0.5.0", "ReadShareGroupStateSummaryResponse", 0)}
"""A version that Kafka changed while it was unstable; ours is that of 4.x."""

NULLABLE_ONLY_HERE = {("0.6.5", "ShareFetchResponse", 1), ("0.6.5", "ShareFetchResponse", 2)}
"""kio takes these records for never null; Kafka 3.9 and other clients of 4.x take them for nullable."""

OUR_CLASSES = {message_class.__name__: message_class for message_class in all_message_classes()}


@pytest.fixture(scope="module", params=KIO_VERSIONS)
def kio(request: pytest.FixtureRequest) -> Iterator[Kio]:
    with Kio(request.param) as worker:
        yield worker


def known_to_both(kio: Kio) -> Iterator[tuple[str, int]]:
    for name in sorted(kio.paths.keys() & OUR_CLASSES.keys()):
        for version in sorted(kio.paths[name]):
            if (kio.version, name, version) not in DIFFERENT:
                yield name, version


def test_all_that_kio_knows_is_declared(kio: Kio) -> None:
    assert kio.paths.keys() - OUR_CLASSES.keys() <= ONLY_IN_KIO
    for name, version in known_to_both(kio):
        assert version in OUR_CLASSES[name].VERSIONS, (name, version)


def test_all_that_is_declared_is_known_to_one_kio_or_listed_here() -> None:
    with ExitStack() as stack:
        workers = [stack.enter_context(Kio(version)) for version in KIO_VERSIONS]
    for name, message_class in OUR_CLASSES.items():
        if name in NOT_IN_KIO or "coordinator_records" in message_class.__module__:
            continue
        known = {version for worker in workers for version in worker.paths.get(name, {})}
        assert known == set(message_class.VERSIONS), name


def test_kio_declares_the_same_fields(kio: Kio) -> None:
    for name, version in known_to_both(kio):
        if (kio.version, name, version) in NULLABLE_ONLY_HERE:
            continue
        theirs = in_our_words(kio.ask("describe", kio.paths[name][version]))
        assert with_bare_names(describe(OUR_CLASSES[name], version)) == with_bare_names(theirs), (name, version)


def test_both_read_what_the_other_wrote_as_the_same_values(kio: Kio) -> None:
    rng = random.Random(482)
    for name, version in known_to_both(kio):
        message_class, path = OUR_CLASSES[name], kio.paths[name][version]
        description = kio.ask("describe", path)
        for _ in range(MESSAGES_PER_VERSION):
            message = random_message(rng, message_class, version)
            restrict(rng, message, description, kio)
            theirs = kio.ask("recode", path, encode(message, version).hex())
            assert theirs["values"] == plain_fields(message, version), (name, version)
            written_by_kio = bytes.fromhex(theirs["hex"])
            assert decode(message_class, version, written_by_kio) == (message, len(written_by_kio)), (name, version)


def test_kio_reads_our_headers(kio: Kio) -> None:
    for api_version, header_version in ((8, 1), (9, 2)):
        header = RequestHeader(ApiKey.PRODUCE, api_version, 7, "client")
        theirs = kio.ask("recode", kio.paths["RequestHeader"][header_version], encode_request_header(header).hex())
        assert theirs["values"] == list(header)
        assert decode_request_header(bytes.fromhex(theirs["hex"]))[0] == header
        ours = encode_response_header(ApiKey.PRODUCE, api_version, 7)
        theirs = kio.ask("recode", kio.paths["ResponseHeader"][header_version - 1], ours.hex())
        assert theirs == {"values": [7], "hex": ours.hex()}
