"""Time as a parameter: the clocks, and one timer wheel for everything that waits.

Nothing below `broker` calls `time` itself: it is given a Clock. What must happen later is a Timer on the TimerWheel
of the process, never a timer of the event loop for each request or connection.
"""

from ottla.clock.clocks import Clock, ManualClock, SystemClock
from ottla.clock.stopwatch import Stopwatch
from ottla.clock.timer_wheel import Timer, TimerWheel

__all__ = ["Clock", "ManualClock", "Stopwatch", "SystemClock", "Timer", "TimerWheel"]
