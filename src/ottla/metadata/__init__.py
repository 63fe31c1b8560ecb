"""The cluster as one immutable image, and the place where a broker keeps the newest.

`image` holds the values, `cache` the current one and who wants to know of the next. On a broker the image is made only
from what the controller says (`control_requests`), never from ZooKeeper directly.
"""
