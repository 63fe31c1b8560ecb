"""Whatever a stranger sends to a broker: others are served meanwhile, nothing of theirs is lost, no bug shows, and the
broker ends and starts again as ever.

Brokers have a listener of their own here: on the clients' one nobody is believed to be the controller.
"""

from contextlib import ExitStack
from pathlib import Path

import pytest

from hostile.kept_records import KeptRecords
from hostile.known_state import KnownState, make_state, served_apis
from hostile.listeners import broker_with_two_listeners
from hostile.requests import HostileRequests
from hostile.rounds import count_of, seed_of
from hostile.stranger import Stranger
from hostile.well_being import assert_rests, assert_serves, assert_stops, assert_well
from support.broker import OttlaProcess, running

LOOK_EVERY = 250


@pytest.mark.parametrize(
    ("seed", "count"),
    [
        (1, 2_000),
        *(pytest.param(seed, 25_000, marks=[pytest.mark.long, pytest.mark.timeout(900)]) for seed in (2, 3, 4, 5)),
    ],
)
def test_broker_withstands_any_request(tmp_path: Path, pytestconfig: pytest.Config, seed: int, count: int) -> None:
    seed, count = seed_of(pytestconfig, seed), count_of(pytestconfig, count)
    print(f"again with --hostile-seed={seed} --hostile-rounds={count}")
    broker = broker_with_two_listeners(tmp_path)
    with running(broker), ExitStack() as stack:
        kept = KeptRecords(broker.address)
        names = {path.name for path in tmp_path.iterdir()}
        harass(broker, make_state(broker.address, stack), seed, count)
        assert_rests(broker)
        kept.assert_unchanged(broker.address)
        assert {path.name for path in tmp_path.iterdir()} == names
        stack.close()
        assert_stops(broker)
        broker.start()
        kept.assert_unchanged(broker.address)
        assert_well(broker)


def harass(broker: OttlaProcess, state: KnownState, seed: int, count: int) -> None:
    requests = HostileRequests(seed, served_apis(broker.address), state)
    with Stranger(broker.address) as stranger:
        for number in range(count):
            stranger.send(requests.frame())
            if number % LOOK_EVERY == 0:
                assert_serves(broker.address)
                assert_well(broker)
    assert_serves(broker.address)
    assert_well(broker)
