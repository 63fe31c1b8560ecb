"""What to do next: the sentence after an error message, for the errors that people meet."""

from ottla.errors.tree import OttlaError

# By the name of the class, so that nothing needs to be imported to look one up.
_ADVICE = {
    "NoBrokerError": "Is it running there? `ottla start` starts one; -b names another.",
    "UnknownTopicOrPartitionError": "`ottla topics list` shows the topics that there are.",
    "TopicAlreadyExistsError": "`ottla topics alter TOPIC` changes it; --if-not-exists leaves it as it is.",
    "BrokerNotAvailableError": "`ottla brokers` shows the brokers that there are.",
    "InvalidReplicationFactorError": "`ottla brokers` shows the brokers that there are.",
    "GroupIdNotFoundError": "`ottla groups list` shows the groups that there are.",
    "NonEmptyGroupError": "Stop its consumers first; `ottla groups describe GROUP --members` shows them.",
    "UnknownMemberIdError": "Stop its consumers first; `ottla groups describe GROUP --members` shows them.",
    "UnsupportedVersionError": "This broker cannot do that.",
    "PolicyViolationError": "The cluster has a rule against it.",
    "TopicAuthorizationFailedError": "Ask whoever runs the cluster for the right to do so.",
    "InvalidConfigError": "`ottla configs topic TOPIC --all` shows the keys that there are.",
}


def advice_for(error: OttlaError) -> str | None:
    """What the person may do about it, where there is something to say."""
    for cls in type(error).__mro__:
        if cls.__name__ in _ADVICE:
            return _ADVICE[cls.__name__]
    return None
