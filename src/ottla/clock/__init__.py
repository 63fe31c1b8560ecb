"""Time as a parameter: the clocks, and one timer wheel for everything that waits.

    clocks       the clocks that are passed as parameters
    stopwatch    how long something lasted in all, the stretch that goes on now included
    timer_wheel  one coarse timer wheel for requests that wait, sessions and idle connections
    turns        long work in parts, so that others on the same event loop get their turn

Nothing below `broker` calls `time` itself: it is given a Clock. What must happen later is a Timer on the TimerWheel
of the process, never a timer of the event loop for each request or connection.
"""

from ottla.clock.clocks import Clock, ManualClock, SystemClock
from ottla.clock.stopwatch import Stopwatch
from ottla.clock.timer_wheel import Timer, TimerWheel

__all__ = ["Clock", "ManualClock", "Stopwatch", "SystemClock", "Timer", "TimerWheel"]
