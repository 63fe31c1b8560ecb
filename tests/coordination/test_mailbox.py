import asyncio
import threading

from ottla.coordination.mailbox import Mailbox


class CountingLoop:
    """An event loop that counts how often it was woken from outside."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.wake_ups = 0

    def call_soon_threadsafe(self, callback, *args):
        self.wake_ups += 1
        return self.loop.call_soon_threadsafe(callback, *args)


def test_messages_of_one_batch_wake_the_loop_once_and_arrive_in_order() -> None:
    async def scenario() -> tuple[list[int], int]:
        loop = CountingLoop(asyncio.get_running_loop())
        mailbox = Mailbox(loop)
        got: list[int] = []
        thread = threading.Thread(target=lambda: [mailbox.post(got.append, n) for n in range(100)])
        thread.start()
        thread.join()  # the loop stands still meanwhile
        arrived = asyncio.Event()
        mailbox.post(arrived.set)
        await arrived.wait()
        return got, loop.wake_ups

    assert asyncio.run(scenario()) == (list(range(100)), 1)


def test_posting_from_many_threads_loses_nothing() -> None:
    async def scenario() -> int:
        mailbox, total, done = Mailbox(asyncio.get_running_loop()), [0], asyncio.Event()

        def count() -> None:
            total[0] += 1
            if total[0] == 4000:
                done.set()

        for _ in range(4):
            threading.Thread(target=lambda: [mailbox.post(count) for _ in range(1000)]).start()
        await done.wait()
        return total[0]

    assert asyncio.run(scenario()) == 4000


def test_posting_to_a_closed_loop_is_no_error() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    Mailbox(loop).post(print, "nobody hears this")
