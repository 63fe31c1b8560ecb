"""Step 3 of the path: from sockets to handlers, and every bound on what is in flight.

server             Server: the listeners, connections and dispatch of one broker
endpoints          which sockets to open and what to tell clients about them
limits             the numbers: connections, requests and bytes in flight, deadlines
listener           one listening socket, as the configuration wants it
connection_limits  how many connections, in all and from one address
admission          how many requests and bytes are being received, in two classes
channel            one client's connection: one request at a time, responses in order
deadlines          connections that are idle, receive too slowly or do not take their response
dispatch           the life of a request in stages, and what errors become on the way
routes             what the stages need to know of one version of one API
request_metrics    requests and their times per API
server_metrics     connections, bytes, what is in flight, what was refused
"""

from ottla.server.endpoints import AdvertisedEndpoint, ListenerSpec, plan_listeners, resolve_advertised
from ottla.server.limits import ServerLimits
from ottla.server.server import Server

__all__ = [
    "AdvertisedEndpoint",
    "ListenerSpec",
    "Server",
    "ServerLimits",
    "plan_listeners",
    "resolve_advertised",
]
