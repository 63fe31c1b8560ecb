"""What Kafka says with an error code when it has nothing more exact to say."""

INVALID_REQUEST_TEXT = (
    "This most likely occurs because of a request being malformed by the client library or the message was sent to an "
    "incompatible broker. See the broker logs for more details."
)
NOT_HOSTED_TEXT = "This server does not host this topic-partition."
