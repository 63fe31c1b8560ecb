"""DeleteTopics (key 20): deletes topics, by name or, from version 6 on, by id."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, nullable_string, string, uuid_


class DeleteTopicState(Struct):
    name = nullable_string("6+", default=None)
    topic_id = uuid_("6+")


class DeleteTopicsRequest(Request, key=20, versions="0-6", flexible="4+"):
    topics = array(DeleteTopicState, "6+")
    topic_names = array(string, "0-5")
    timeout_ms = int32()


class DeletableTopicResult(Struct):
    name = nullable_string(nullable="6+")
    topic_id = uuid_("6+")
    error_code = int16()
    error_message = nullable_string("5+", default=None)


class DeleteTopicsResponse(Response, key=20, versions="0-6", flexible="4+"):
    throttle_time_ms = int32("1+")
    responses = array(DeletableTopicResult)
