from collections import defaultdict
from types import SimpleNamespace

import pytest

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from ottla.protocol.messages.metadata import MetadataResponse, MetadataResponseTopic
from ottla.protocol.response_errors import compile_error_count


def counts(response, version: int) -> dict[int, int]:
    errors: defaultdict[int, SimpleNamespace] = defaultdict(lambda: SimpleNamespace(value=0))
    compile_error_count(type(response), version)(response, errors)
    return {code: counter.value for code, counter in errors.items()}


def test_codes_are_found_at_the_top_and_in_nested_arrays():
    partitions = [PartitionData(partition_index=n, error_code=code) for n, code in enumerate((0, 3, 3))]
    response = FetchResponse(error_code=0, responses=[FetchableTopicResponse(topic="t", partitions=partitions)])
    assert counts(response, 12) == {0: 2, 3: 2}


def test_fields_that_a_version_does_not_have_are_not_counted():
    partitions = [PartitionData(partition_index=0, error_code=1)]
    response = FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=partitions)])
    assert counts(response, 6) == {1: 1}
    assert counts(MetadataResponse(topics=[MetadataResponseTopic(error_code=5)]), 12) == {5: 1}


@pytest.mark.parametrize("key", list(ApiKey), ids=lambda key: key.name)
def test_every_response_can_be_counted_in_every_version(key: ApiKey):
    response_class = api_info(key).response_class()
    for version in response_class.VERSIONS:
        counts(response_class(), version)
