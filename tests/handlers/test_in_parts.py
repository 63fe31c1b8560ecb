"""Long requests let others have their turn, whichever API they are of, and are answered as short ones are."""

import pytest

from ottla.clock.turns import ELEMENTS_PER_TURN
from ottla.handlers.context import RequestContext
from ottla.handlers.in_parts import in_parts
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.delete_groups import DeleteGroupsRequest
from ottla.protocol.messages.describe_groups import DescribedGroup, DescribeGroupsRequest, DescribeGroupsResponse
from ottla.protocol.messages.find_coordinator import FindCoordinatorRequest
from ottla.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from support.coroutines import on_event_loop
from support.group_handlers import GroupHandlerTable
from support.turns import counting_turns

COUNT = ELEMENTS_PER_TURN * 3 + 1
NAMES = [f"g{number}" for number in range(COUNT)]

LONG_REQUESTS = [
    (DescribeGroupsRequest(groups=NAMES), 5, "groups"),
    (DeleteGroupsRequest(groups_names=NAMES), 2, "results"),
    (FindCoordinatorRequest(coordinator_keys=NAMES), 4, "coordinators"),
    (OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id=name, topics=None) for name in NAMES]), 8, "groups"),
]


@pytest.mark.parametrize(("request_", "version", "answered"), LONG_REQUESTS, ids=lambda each: type(each).__name__)
@on_event_loop
async def test_long_request_lets_others_have_their_turn(request_, version: int, answered: str) -> None:
    table = await GroupHandlerTable().start()
    answer, turns = await counting_turns(table.call(request_, version))
    assert len(getattr(answer, answered)) == COUNT
    assert turns >= 3


@on_event_loop
async def test_parts_together_are_the_answer_in_its_order() -> None:
    def handle(context: RequestContext, request: DescribeGroupsRequest) -> DescribeGroupsResponse:
        assert len(request.groups) <= ELEMENTS_PER_TURN
        return DescribeGroupsResponse(groups=[DescribedGroup(group_id=name) for name in request.groups])

    answer = in_parts(handle, "groups", "groups")(
        RequestContext(ApiKey.DESCRIBE_GROUPS, 5), DescribeGroupsRequest(groups=NAMES)
    )
    assert not isinstance(answer, DescribeGroupsResponse)
    assert [group.group_id for group in (await answer).groups] == NAMES
