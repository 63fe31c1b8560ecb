"""Configurations of topics and brokers: describe, alter one value at a time (KIP-339).

A broker's own configuration is asked of that broker; everything else of any.
"""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from ottla.clients.admin.calls import AdminCalls
from ottla.clients.admin.outcomes import Outcomes
from ottla.clients.admin.types import AlterOperation, ConfigEntry, ConfigResource, ConfigSource, ResourceType
from ottla.clients.errors import broker_error
from ottla.errors import ErrorCode
from ottla.protocol.message import Request
from ottla.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
)
from ottla.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)

ANY_BROKER = -1
ConfigChange = str | None | tuple[AlterOperation, str]
_BROKER_TYPES = frozenset({ResourceType.BROKER, ResourceType.BROKER_LOGGER})


class ConfigCalls(AdminCalls):
    async def describe_configs(
        self,
        resources: Iterable[ConfigResource],
        *,
        names: Iterable[str] | None = None,
        include_synonyms: bool = False,
        include_documentation: bool = False,
    ) -> Outcomes[ConfigResource, dict[str, ConfigEntry]]:
        """Every key of topics and brokers, or the named ones, with value and source::

        clicks = ConfigResource.topic("clicks")
        admin.describe_configs([clicks])[clicks]["retention.ms"].value
        """
        keys = None if names is None else list(names)
        outcomes: Outcomes[ConfigResource, dict[str, ConfigEntry]] = Outcomes()
        requests = {
            node_id: DescribeConfigsRequest(
                resources=[
                    DescribeConfigsResource(
                        resource_type=resource.type, resource_name=resource.name, configuration_keys=keys
                    )
                    for resource in asked
                ],
                include_synonyms=include_synonyms,
                include_documentation=include_documentation,
            )
            for node_id, asked in _by_broker(resources).items()
        }
        responses: list[DescribeConfigsResponse] = await asyncio.gather(
            *(self._ask_node(node_id, request) for node_id, request in requests.items())
        )
        for response in responses:
            for result in response.results:
                resource = ConfigResource(ResourceType(result.resource_type), result.resource_name)
                if result.error_code:
                    outcomes.fail(resource, broker_error(result.error_code, str(resource.name), result.error_message))
                else:
                    outcomes.succeed(resource, {entry.name: _entry(entry) for entry in result.configs})
        return outcomes

    async def alter_configs(
        self,
        changes: Mapping[ConfigResource, Mapping[str, ConfigChange]],
        *,
        validate_only: bool = False,
    ) -> Outcomes[ConfigResource, None]:
        """Set values; None takes one back to its default, (operation, value) appends or subtracts::

        admin.alter_configs({ConfigResource.topic("clicks"): {"retention.ms": "60000", "segment.ms": None}}).check()
        """
        outcomes: Outcomes[ConfigResource, None] = Outcomes()
        for node_id, resources in _by_broker(changes).items():
            request = IncrementalAlterConfigsRequest(
                resources=[_alteration(resource, changes[resource]) for resource in resources],
                validate_only=validate_only,
            )
            response: IncrementalAlterConfigsResponse
            if node_id == ANY_BROKER:
                response = await self._ask_controller(
                    request, "altering configs", lambda response: [one.error_code for one in response.responses]
                )
            else:
                response = await self._ask_node(node_id, request)
            for result in response.responses:
                resource = ConfigResource(ResourceType(result.resource_type), result.resource_name)
                if result.error_code != ErrorCode.NONE:
                    outcomes.fail(resource, broker_error(result.error_code, resource.name, result.error_message))
                else:
                    outcomes.succeed(resource, None)
        return outcomes

    async def _ask_node(self, node_id: int, request: Request) -> Any:
        if node_id == ANY_BROKER:
            return await self._ask_any(request, "describing configs")
        await self._know_brokers()
        return await self._retry(lambda: self._cluster.send(node_id, request), f"configs of broker {node_id}")


def _by_broker(resources: Iterable[ConfigResource]) -> dict[int, list[ConfigResource]]:
    grouped: dict[int, list[ConfigResource]] = {}
    for resource in resources:
        is_one_broker = resource.type in _BROKER_TYPES and resource.name
        grouped.setdefault(int(resource.name) if is_one_broker else ANY_BROKER, []).append(resource)
    return grouped


def _alteration(resource: ConfigResource, changes: Mapping[str, ConfigChange]) -> AlterConfigsResource:
    return AlterConfigsResource(
        resource_type=resource.type,
        resource_name=resource.name,
        configs=[_change(name, change) for name, change in changes.items()],
    )


def _change(name: str, change: ConfigChange) -> AlterableConfig:
    """A value is set, None goes back to the default, (operation, value) says it all."""
    if change is None:
        return AlterableConfig(name=name, config_operation=AlterOperation.DELETE, value=None)
    if isinstance(change, tuple):
        return AlterableConfig(name=name, config_operation=change[0], value=change[1])
    return AlterableConfig(name=name, config_operation=AlterOperation.SET, value=str(change))


def _entry(config: DescribeConfigsResourceResult) -> ConfigEntry:
    source = ConfigSource.DEFAULT_CONFIG if config.is_default else ConfigSource(max(0, config.config_source))
    return ConfigEntry(
        config.name,
        config.value,
        source,
        config.read_only,
        config.is_sensitive,
        tuple((synonym.name, synonym.value, ConfigSource(synonym.source)) for synonym in config.synonyms),
        config.documentation,
    )
