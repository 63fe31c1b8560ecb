"""The cluster as one immutable image, and the place where a broker keeps the newest.

    image   the values
    cache   the current image, and who wants to know of the next

On a broker the image is made only from what the controller says (`controller.control_request_handler`), never from
ZooKeeper directly.
"""
