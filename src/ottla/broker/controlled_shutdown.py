"""Leaving in good order: before it stops, a broker asks the controller to have others lead what it leads.

It asks until nothing is left to move, `controlled.shutdown.max.retries` times more after a failure; then it stops all
the same, and the partitions change leaders by its death. Who is the last broker has nobody to wait for: it stops as
soon as it knows. A new controller is asked as soon as there is one.
"""

import logging

from ottla.broker.control_plane import ControlPlane
from ottla.config import BrokerConfig
from ottla.errors import ErrorCode, KafkaError
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import ClusterImage
from ottla.protocol.messages.controlled_shutdown import ControlledShutdownRequest, ControlledShutdownResponse

logger = logging.getLogger(__name__)


async def leave_cluster(config: BrokerConfig, metadata: MetadataCache, control: ControlPlane) -> None:
    """Returns when this broker leads nothing that others could, or when it has tried often enough."""
    broker_id = control.registration.broker_id

    def is_alone(image: ClusterImage) -> bool:
        return not image.brokers.keys() - {broker_id}

    if not config.bool("controlled.shutdown.enable") or is_alone(metadata.image):
        return
    attempts = 1 + config.int("controlled.shutdown.max.retries")
    for attempt in range(attempts):
        asked = metadata.image.controller_id
        problem = await _ask(metadata, control)
        if problem is None:
            logger.info("nothing is led here any more that others can lead")
            control.replication.fetchers.stop()
            return
        level = logging.INFO if attempt + 1 < attempts else logging.WARNING
        logger.log(level, "controlled shutdown: %s (attempt %d of %d)", problem, attempt + 1, attempts)
        if attempt + 1 < attempts:
            await metadata.wait_for(
                lambda image, asked=asked: is_alone(image) or image.controller_id != asked,  # type: ignore[misc]
                config.int("controlled.shutdown.retry.backoff.ms"),
            )
            if is_alone(metadata.image):
                return


async def _ask(metadata: MetadataCache, control: ControlPlane) -> str | None:
    """What is in the way, None when all is done."""
    own, controller_id = control.registration, metadata.image.controller_id
    try:
        if control.controller.is_active:
            remaining = len(await control.controller.controlled_shutdown(own.broker_id, own.broker_epoch))
        else:
            request = ControlledShutdownRequest(broker_id=own.broker_id, broker_epoch=own.broker_epoch)
            response: ControlledShutdownResponse = await control.replication.peers.send(controller_id, request)
            if response.error_code:
                return f"the controller answers {ErrorCode(response.error_code).name}"
            remaining = len(response.remaining_partitions)
    except KafkaError as error:
        return f"the controller, broker {controller_id}, cannot be asked: {error}"
    return f"{remaining} partitions have nobody else to lead them" if remaining else None
