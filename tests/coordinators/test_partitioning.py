import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.coordinators.partitioning import java_hash, partition_for


@pytest.mark.parametrize(
    ("text", "hashed"),
    [("", 0), ("a", 97), ("hello", 99162322), ("console-consumer-12345", 158455506), ("😀", 1772899)],
)
def test_the_hash_is_that_of_java(text, hashed):
    assert java_hash(text) == hashed


def test_the_smallest_integer_has_no_absolute_value_and_becomes_zero():
    assert java_hash("polygenelubricants") == -(2**31)
    assert partition_for("polygenelubricants", 50) == 0


@given(st.text(), st.integers(1, 200))
def test_every_name_has_a_partition(name, count):
    assert 0 <= partition_for(name, count) < count
