"""Kernel: the records of an open batch, added one at a time, by any thread.

One list per field. `keys` and `headers` are None as long as no record has any, and may be shorter than `values`: what
is missing is None, and `close` fills it in. A record gets its place, and the ticket of (owner, place) that it is known
by, in one step that no other thread can get into: compiled, because the GIL is held from the look at `is_open` to the
last list's append (what may let go of it, an allocation that the garbage collector counts, comes before or after);
interpreted, because of the lock. Before and after that step the batch may be closed, complete and `release`d by others:
so lists are made beforehand and taken in the step where there is none yet, and the owner is read beforehand.
"""

from __future__ import annotations

from threading import Lock
from time import time

try:
    import cython
except ImportError:  # only the interpreted form gets here
    from ottla.records.kernels import cython_shim as cython

if cython.compiled:
    from cython.cimports.posix.time import CLOCK_REALTIME, clock_gettime, timespec

NOW = -1

# What a record takes besides key, value and headers: lengths, deltas, attributes. A good guess; encoding counts.
RECORD_OVERHEAD = 10
_OVERHEAD = cython.declare(cython.Py_ssize_t, 10)
_new_tuple = tuple.__new__


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _now_ms() -> cython.longlong:
    if cython.compiled:
        now: timespec = timespec(0, 0)
        clock_gettime(CLOCK_REALTIME, cython.address(now))
        return cython.cast(cython.longlong, now.tv_sec) * 1000 + now.tv_nsec // 1_000_000
    else:  # noqa: RET505 (the compiler drops this branch; after a return it would warn)
        return int(time() * 1000)


@cython.cfunc
def _fill(column: list, length: cython.Py_ssize_t):
    while len(column) < length:
        column.append(None)


@cython.cclass
class Gathered:
    values = cython.declare(list, visibility="public")
    timestamps = cython.declare(list, visibility="public")
    keys = cython.declare(list, visibility="public")
    headers = cython.declare(list, visibility="public")
    callbacks = cython.declare(list, visibility="public")
    callback_places = cython.declare(list, visibility="public")
    owner = cython.declare(object, visibility="public")
    size = cython.declare(cython.Py_ssize_t, visibility="public")
    limit = cython.declare(cython.Py_ssize_t, visibility="public")
    is_open = cython.declare(cython.bint, visibility="public")
    _ticket_class = cython.declare(type)
    _lock = cython.declare(object)

    def __init__(self, ticket_class: type, limit: cython.Py_ssize_t):
        """`limit`: bytes of all records. The first record may be larger."""
        self.values = []
        self.timestamps = []
        self.keys = None
        self.headers = None
        self.callbacks = None
        self.callback_places = None
        self.owner = None
        self.size = 0
        self.limit = limit
        self.is_open = True
        self._ticket_class = ticket_class
        self._lock = None if cython.compiled else Lock()

    def add(
        self, value: bytes | None, key: bytes | None, headers: bytes | None, timestamp: cython.longlong, callback=None
    ):
        """The record's ticket; None when the batch is closed or full. `timestamp`: `NOW` for the time of adding."""
        place: cython.Py_ssize_t
        owner = self.owner
        new_keys = None
        new_headers = None
        new_callbacks = None
        if timestamp == NOW:
            timestamp = _now_ms()
        size: cython.Py_ssize_t = _OVERHEAD
        if value is not None:
            size += len(value)
        if key is not None:
            size += len(key)
            if self.keys is None:
                new_keys = []
        if headers is not None:
            size += len(headers)
            if self.headers is None:
                new_headers = []
        if callback is not None and self.callbacks is None:
            new_callbacks = ([], [])
        if cython.compiled:
            self._take_lists(new_keys, new_headers, new_callbacks)
            place = self._put(value, key, headers, timestamp, callback, size)
        else:
            with self._lock:
                self._take_lists(new_keys, new_headers, new_callbacks)
                place = self._put(value, key, headers, timestamp, callback, size)
        if place < 0:
            return None
        return _new_tuple(self._ticket_class, (owner, place))

    @cython.cfunc
    def _take_lists(self, keys: object, headers: object, callbacks: object):
        """Begin columns that this record is the first to need, unless another thread has begun them meanwhile."""
        if keys is not None and self.keys is None:
            self.keys = keys
        if headers is not None and self.headers is None:
            self.headers = headers
        if callbacks is not None and self.callbacks is None:
            self.callbacks, self.callback_places = callbacks

    @cython.cfunc
    def _put(
        self,
        value: object,
        key: object,
        headers: object,
        timestamp: cython.longlong,
        callback: object,
        size: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """Where the record is now, -1 without room. Nothing here runs other code or allocates what is collected."""
        place: cython.Py_ssize_t = len(self.values)
        if not self.is_open or (self.size + size > self.limit and place > 0):
            return -1
        if key is not None:
            _fill(self.keys, place)
            self.keys.append(key)
        if headers is not None:
            _fill(self.headers, place)
            self.headers.append(headers)
        if callback is not None:
            self.callback_places.append(place)
            self.callbacks.append(callback)
        self.size += size
        self.timestamps.append(timestamp)
        self.values.append(value)
        return place

    def close(self):
        """Nothing is added from now on. Answers the size."""
        if cython.compiled:
            self.is_open = False
        else:
            with self._lock:
                self.is_open = False
        if self.keys is not None:
            _fill(self.keys, len(self.values))
        if self.headers is not None:
            _fill(self.headers, len(self.values))
        return self.size
