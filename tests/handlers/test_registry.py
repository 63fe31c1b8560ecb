import pytest

from ottla.handlers.alter_partition import AlterPartitionHandlers
from ottla.handlers.control import ControlHandlers
from ottla.handlers.controlled_shutdown import ControlledShutdownHandlers
from ottla.handlers.registry import HandlerTable, Traits
from ottla.protocol.api_keys import ApiKey


def nothing(*_arguments) -> None:
    return None


def test_only_versions_that_were_added_are_found():
    table = HandlerTable()
    table.add(ApiKey.METADATA, nothing, 1, 12, nothing)
    assert table.find(ApiKey.METADATA, 0) is None
    assert table.find(ApiKey.METADATA, 13) is None
    assert table.find(ApiKey.FETCH, 4) is None
    entry = table.find(ApiKey.METADATA, 12)
    assert entry is not None
    assert (entry.api_key, entry.min_version, entry.max_version) == (ApiKey.METADATA, 1, 12)


def test_entries_come_in_the_order_of_their_api_keys():
    table = HandlerTable()
    for api_key in (ApiKey.API_VERSIONS, ApiKey.FETCH, ApiKey.METADATA):
        table.add(api_key, nothing, 0, 0, nothing)
    assert [entry.api_key for entry in table] == [ApiKey.FETCH, ApiKey.METADATA, ApiKey.API_VERSIONS]


def test_version_that_the_protocol_does_not_know_cannot_be_served():
    with pytest.raises(AssertionError):
        HandlerTable().add(ApiKey.METADATA, nothing, 0, 99, nothing)


def test_api_cannot_be_served_twice():
    table = HandlerTable()
    table.add(ApiKey.METADATA, nothing, 0, 1, nothing)
    with pytest.raises(AssertionError):
        table.add(ApiKey.METADATA, nothing, 0, 1, nothing)


def test_what_moves_the_cluster_is_only_for_brokers():
    table = HandlerTable()
    for handlers in (ControlHandlers, AlterPartitionHandlers, ControlledShutdownHandlers):
        handlers(None).register(table)  # type: ignore[arg-type]  # only registered, never called
    assert len(table) == 5
    assert all(table.is_control(entry.api_key) for entry in table)
    table.add(ApiKey.FETCH, nothing, 0, 0, nothing, Traits(only_from_brokers=lambda request: True))
    table.add(ApiKey.PRODUCE, nothing, 0, 0, nothing, Traits(may_be_pipelined=True))
    assert not table.is_control(ApiKey.FETCH)
    assert [key for key in ApiKey if table.may_be_pipelined(key)] == [ApiKey.PRODUCE]
