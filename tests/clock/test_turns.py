from ottla.clock.turns import ELEMENTS_PER_TURN, in_turns
from support.coroutines import on_event_loop
from support.turns import counting_turns


async def listed(count: int) -> list[int]:
    return [element async for element in in_turns(range(count))]


@on_event_loop
async def test_others_have_their_turn_after_every_so_many_elements() -> None:
    elements, turns = await counting_turns(listed(ELEMENTS_PER_TURN * 4))
    assert elements == list(range(ELEMENTS_PER_TURN * 4))
    assert turns >= 4


@on_event_loop
async def test_few_elements_are_done_at_once() -> None:
    elements, turns = await counting_turns(listed(ELEMENTS_PER_TURN - 1))
    assert len(elements) == ELEMENTS_PER_TURN - 1
    assert turns == 0
