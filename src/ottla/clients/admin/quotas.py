"""Client quotas (KIP-546): what users, client ids and addresses may use of a broker.

An entity is a mapping like {"user": "ada", "client-id": None}; None is the default of its kind, "" in no name.
"""

from collections.abc import Mapping
from typing import NamedTuple

from ottla.clients.admin.calls import AdminCalls
from ottla.clients.errors import broker_error
from ottla.protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    EntityData,
    OpData,
    RequestEntryData,
)
from ottla.protocol.messages.describe_client_quotas import (
    ComponentData,
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
)

_EXACT, _DEFAULT, _ANY = 0, 1, 2
QuotaEntity = Mapping[str, str | None]


class QuotaDescription(NamedTuple):
    entity: dict[str, str | None]
    values: dict[str, float]


class QuotaCalls(AdminCalls):
    async def describe_client_quotas(
        self, entity: QuotaEntity, *, any_of: tuple[str, ...] = (), strict: bool = True
    ) -> list[QuotaDescription]:
        """The quotas of an entity, and of every name of the kinds `any_of`::

            admin.describe_client_quotas({"user": "ada"})
            admin.describe_client_quotas({}, any_of=("user", "client-id"))

        `strict`: of entities with exactly these kinds.
        """
        components = [
            ComponentData(entity_type=kind, match_type=_DEFAULT if name is None else _EXACT, match=name)
            for kind, name in entity.items()
        ] + [ComponentData(entity_type=kind, match_type=_ANY, match=None) for kind in any_of]
        request = DescribeClientQuotasRequest(components=components, strict=strict)
        response: DescribeClientQuotasResponse = await self._ask_any(request, "describing quotas")
        if response.error_code:
            raise broker_error(response.error_code, "describing quotas", response.error_message)
        return [
            QuotaDescription(
                {part.entity_type: part.entity_name for part in entry.entity},
                {value.key: value.value for value in entry.values},
            )
            for entry in response.entries or ()
        ]

    async def alter_client_quotas(
        self, entity: QuotaEntity, changes: Mapping[str, float | None], *, validate_only: bool = False
    ) -> None:
        """Set quotas of an entity, or with None remove them::

        admin.alter_client_quotas({"user": "ada"}, {"producer_byte_rate": 1_000_000, "consumer_byte_rate": None})
        """
        entry = RequestEntryData(
            entity=[EntityData(entity_type=kind, entity_name=name) for kind, name in entity.items()],
            ops=[OpData(key=key, value=value or 0.0, remove=value is None) for key, value in changes.items()],
        )
        request = AlterClientQuotasRequest(entries=[entry], validate_only=validate_only)
        response: AlterClientQuotasResponse = await self._ask_controller(
            request, "altering quotas", lambda response: [found.error_code for found in response.entries]
        )
        for result in response.entries:
            if result.error_code:
                raise broker_error(result.error_code, "altering quotas", result.error_message)
