"""DeleteTopics (key 20): deletes topics, by name or, from version 6 on, by id."""

from ottla.protocol import schema as s


class DeleteTopicState(s.Struct):
    name = s.nullable_string("6+", default=None)
    topic_id = s.uuid_("6+")
class DeleteTopicsRequest(s.Request, key=20, versions="0-6", flexible="4+"):
    topics = s.array(DeleteTopicState, "6+")
    topic_names = s.array(s.string, "0-5")
    timeout_ms = s.int32()

class DeletableTopicResult(s.Struct):
    name = s.nullable_string(nullable="6+")
    topic_id = s.uuid_("6+")
    error_code = s.int16()
    error_message = s.nullable_string("5+", default=None)
class DeleteTopicsResponse(s.Response, key=20, versions="0-6", flexible="4+"):
    throttle_time_ms = s.int32("1+")
    responses = s.array(DeletableTopicResult)
