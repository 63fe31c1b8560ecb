"""Finds where to read on: at the committed offset, else by `auto.offset.reset`, else where a seek said.

Runs beside the fetching: partitions that have a position are read meanwhile. A user's seek that comes first wins.
"""

from collections.abc import Iterable

from ottla.clients.cluster import Cluster
from ottla.clients.consumer.fetch_state import FetchState
from ottla.clients.consumer.settings import ConsumerSettings
from ottla.clients.errors import NoOffsetForPartitionError
from ottla.clients.group_offsets import fetch_committed
from ottla.clients.offset_lookup import list_offsets
from ottla.clients.retry import retried
from ottla.errors import KafkaError


async def find_positions(cluster: Cluster, settings: ConsumerSettings, states: Iterable[FetchState]) -> None:
    """A position for every partition that has none. What cannot be found is the partition's `error`."""
    waiting = [state for state in states if state.position is None and state.error is None]
    fresh = [state for state in waiting if state.reset_to is None]
    if fresh and settings.group is not None:
        await _take_committed(cluster, settings, fresh)
    for state in fresh:
        if state.position is None and state.reset_to is None:
            _apply_policy(state, settings)
    await _look_up(cluster, settings, [state for state in waiting if state.reset_to is not None])


async def _take_committed(cluster: Cluster, settings: ConsumerSettings, states: list[FetchState]) -> None:
    assert settings.group is not None
    group_id = settings.group.group_id
    partitions = [state.partition for state in states]
    generations = {state.partition: state.generation for state in states}
    committed = await retried(
        lambda: fetch_committed(cluster, group_id, partitions, require_stable=True),
        backoff=cluster.retry_backoff,
        timeout_ms=settings.api_timeout_ms,
        what=f"the committed offsets of {group_id}",
    )
    for state in states:
        found = committed.get(state.partition)
        if found is not None and state.generation == generations[state.partition]:
            state.seek(found.offset, found.leader_epoch)


def _apply_policy(state: FetchState, settings: ConsumerSettings) -> None:
    if settings.fetch.reset_to is None:
        state.error = NoOffsetForPartitionError([state.partition])
    else:
        state.request_reset(settings.fetch.reset_to)


async def _look_up(cluster: Cluster, settings: ConsumerSettings, states: list[FetchState]) -> None:
    if not states:
        return
    generations = {state.partition: state.generation for state in states}
    times = {state.partition: state.reset_to for state in states if state.reset_to is not None}
    results = await list_offsets(
        cluster, times, timeout_ms=settings.api_timeout_ms, read_committed=settings.fetch.read_committed
    )
    for state in states:
        result = results.get(state.partition)
        if result is None or state.generation != generations[state.partition]:
            continue
        if isinstance(result, KafkaError):
            state.error = result
        else:
            state.seek(result.offset)  # just given by the leader: nothing to validate
