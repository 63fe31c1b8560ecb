"""The configuration of each topic: the broker's defaults under what /config/topics says.

What stands in ZooKeeper may have been written by anybody. Overrides that cannot be are logged and left out, all of that
topic's, so that one wrong value takes no partition offline.
"""

import logging
from collections.abc import Callable, Mapping

from ottla.config import BrokerConfig, TopicConfig
from ottla.errors import ConfigError

logger = logging.getLogger(__name__)


class TopicConfigs:
    """Callable by topic. `overrides` knows them from before any log is loaded."""

    def __init__(self, config: BrokerConfig, overrides: Callable[[str], Mapping[str, str]]) -> None:
        self._config = config
        self._overrides = overrides

    def __call__(self, topic: str) -> TopicConfig:
        try:
            return self._config.topic_config(self._overrides(topic))
        except ConfigError as error:
            logger.error("the configuration of topic %s is not usable, defaults hold: %s", topic, error)
            return self._config.default_topic_config
