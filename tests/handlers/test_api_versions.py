import pytest

from ottla.errors import ErrorCode
from ottla.errors.kafka import InvalidRequestError
from ottla.handlers.api_versions import ApiVersionsHandlers, api_versions_error, unsupported_version_response
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import HandlerTable
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import decode
from ottla.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse


def served() -> tuple[HandlerTable, ApiVersionsHandlers]:
    table = HandlerTable()
    handlers = ApiVersionsHandlers(table)
    handlers.register(table)
    return table, handlers


def ask(handlers: ApiVersionsHandlers, version: int, **software: str) -> ApiVersionsResponse:
    context = RequestContext(ApiKey.API_VERSIONS, version)
    body = handlers.handle_api_versions(context, ApiVersionsRequest(**software))
    response, end = decode(ApiVersionsResponse, version, body)
    assert end == len(body)
    return response


def test_answer_is_encoded_once_per_version():
    _, handlers = served()
    context = RequestContext(ApiKey.API_VERSIONS, 1)
    first = handlers.handle_api_versions(context, ApiVersionsRequest())
    assert handlers.handle_api_versions(context, ApiVersionsRequest()) is first


def test_api_that_is_added_later_is_advertised():
    table, handlers = served()
    assert [key.api_key for key in ask(handlers, 0).api_keys] == [18]
    table.add(ApiKey.METADATA, lambda c, r: None, 0, 12, lambda r, v, e: None)
    assert [key.api_key for key in ask(handlers, 0).api_keys] == [3, 18]


@pytest.mark.parametrize("name", ["librdkafka", "apache-kafka-java", "a", "0.9.1", "franz-go.v1-2"])
def test_names_of_real_clients_are_taken(name: str):
    _, handlers = served()
    response = ask(handlers, 4, client_software_name=name, client_software_version="2.15.0")
    assert response.error_code == ErrorCode.NONE


@pytest.mark.parametrize("version", ["", ".", "1.", "1 0"])
def test_bad_software_version_is_an_invalid_request(version: str):
    _, handlers = served()
    with pytest.raises(InvalidRequestError):
        ask(handlers, 3, client_software_name="ok", client_software_version=version)


def test_error_is_reported_in_the_response():
    response = api_versions_error(ApiVersionsRequest(), 3, InvalidRequestError())
    assert response.error_code == ErrorCode.INVALID_REQUEST


def test_unsupported_version_is_answered_with_the_range_of_api_versions_only():
    table, _ = served()
    table.add(ApiKey.METADATA, lambda c, r: None, 0, 12, lambda r, v, e: None)
    response, _ = decode(ApiVersionsResponse, 0, unsupported_version_response())
    assert response.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert [(key.api_key, key.min_version, key.max_version) for key in response.api_keys] == [(18, 0, 4)]
