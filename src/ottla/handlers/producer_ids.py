"""InitProducerId (0-5): an id for an idempotent producer, unique in the cluster for ever.

Transactional ids are refused until there is a transaction coordinator. A producer that asks again with its id and epoch
(KIP-360, version 3 on) gets a new id: its old one stays valid for what is in flight, and is never given out again.
"""

from collections.abc import Awaitable

from ottla.controller.producer_ids import ProducerIdManager
from ottla.errors import ErrorCode, KafkaError
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import HandlerTable
from ottla.observability.per_client_log import PerClientLog
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse

VERSIONS = (0, 5)


class ProducerIdHandlers:
    def __init__(self, producer_ids: ProducerIdManager, log: PerClientLog) -> None:
        self._producer_ids = producer_ids
        self._log = log

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.INIT_PRODUCER_ID, self.handle_init_producer_id, *VERSIONS, producer_id_error)

    def handle_init_producer_id(
        self, context: RequestContext, request: InitProducerIdRequest
    ) -> InitProducerIdResponse | Awaitable[InitProducerIdResponse]:
        refusal = refuse(request)
        if refusal is not None:
            asked = "a producer id for a transactional id"
            self._log.warning(context.client_id, context.client_host, asked, "transactions are not served here")
            return InitProducerIdResponse(error_code=refusal, producer_id=-1, producer_epoch=-1)
        producer_id = self._producer_ids.take()
        return self._generate() if producer_id is None else answer(producer_id)

    async def _generate(self) -> InitProducerIdResponse:
        return answer(await self._producer_ids.generate())


def refuse(request: InitProducerIdRequest) -> ErrorCode | None:
    if request.transactional_id == "":
        return ErrorCode.INVALID_REQUEST
    if request.transactional_id is not None:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    return None


def answer(producer_id: int) -> InitProducerIdResponse:
    return InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)


def producer_id_error(request: InitProducerIdRequest, version: int, error: KafkaError) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=error.code, producer_id=-1, producer_epoch=-1)
