"""Names and ids that every package shares."""

import pytest

from ottla.model import decode_uuid, encode_uuid, random_uuid, topic_name_problem


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../../etc/x", "a b", "é", "a\x00", "x" * 250, "a\n"])
def test_illegal_topic_names_are_refused_with_a_reason(name: str) -> None:
    assert topic_name_problem(name)


@pytest.mark.parametrize("name", ["a", "A.b_c-9", "x" * 249, "__consumer_offsets", "..."])
def test_legal_topic_names_pass(name: str) -> None:
    assert topic_name_problem(name) is None


def test_uuid_text_is_kafkas() -> None:
    value = random_uuid()
    assert len(encode_uuid(value)) == 22
    assert decode_uuid(encode_uuid(value)) == value
