import ctypes

from ottla.transport.receive_buffer import KEPT_BUFFER_BYTES_MAX, KEPT_BUFFERS_MAX, ReceiveBuffer

# Large enough that glibc's malloc maps it, at 16 bytes into a page.
MAPPED_BYTES = 64 * 1024 * 1024
PAGE_BYTES = 4096


def test_the_memory_of_a_frame_is_used_again_for_one_of_about_its_size() -> None:
    buffers = ReceiveBuffer()
    first = buffers.take_frame(1000)
    memory = first.obj
    buffers.give_back(first)
    again = buffers.take_frame(600)
    assert again.obj is memory
    assert len(again) == 600


def test_a_frame_much_smaller_or_larger_gets_memory_of_its_own() -> None:
    buffers = ReceiveBuffer()
    first = buffers.take_frame(1000)
    memory = first.obj
    buffers.give_back(first)
    assert buffers.take_frame(400).obj is not memory
    assert buffers.take_frame(1001).obj is not memory


def test_memory_that_somebody_still_views_is_not_used_again() -> None:
    buffers = ReceiveBuffer()
    frame = buffers.take_frame(1000)
    frame[:3] = b"abc"
    kept = frame[:3]
    buffers.give_back(frame)
    other = buffers.take_frame(1000)
    other[:3] = b"xyz"
    assert bytes(kept) == b"abc"


def test_few_buffers_are_kept_and_no_large_ones() -> None:
    buffers = ReceiveBuffer()
    frames = [buffers.take_frame(1000) for _ in range(KEPT_BUFFERS_MAX + 3)]
    memory = {id(frame.obj) for frame in frames}
    for frame in frames:
        buffers.give_back(frame)
    taken = [buffers.take_frame(1000) for _ in range(KEPT_BUFFERS_MAX + 3)]
    assert sum(id(frame.obj) in memory for frame in taken) >= KEPT_BUFFERS_MAX
    large = buffers.take_frame(KEPT_BUFFER_BYTES_MAX + 1)
    large_memory = large.obj
    buffers.give_back(large)
    assert buffers.take_frame(KEPT_BUFFER_BYTES_MAX + 1).obj is not large_memory


def test_a_large_frame_does_not_lie_where_processors_copy_slowly() -> None:
    """Which is 1 to 15 bytes past the source within the page, and the sender's frame begins 4 bytes into one."""
    frame = ReceiveBuffer().take_frame(MAPPED_BYTES)
    address = ctypes.addressof(ctypes.c_char.from_buffer(frame))
    assert (address - 4) % PAGE_BYTES >= 64


def test_a_frame_that_is_taken_again_begins_where_the_first_did() -> None:
    buffers = ReceiveBuffer()
    first = buffers.take_frame(1000)
    address = ctypes.addressof(ctypes.c_char.from_buffer(first))
    buffers.give_back(first)
    assert ctypes.addressof(ctypes.c_char.from_buffer(buffers.take_frame(800))) == address
