"""The cluster as one immutable image, and the place where a broker keeps the newest.

image  what every broker knows of the cluster
cache  the current image of the cluster on this broker
"""
