"""Step 4 of the path: one file per API family; a request message in, a response message out.

    context       what a handler is told about a request, and what it may return besides a response
    registry      the table of what this broker serves: dispatch routes by it, ApiVersions advertises it
    api_versions  ApiVersions, answered from that table

A family is a class that is given what it needs and registers its methods:

    class MetadataHandlers:
        def __init__(self, metadata: MetadataCache) -> None: ...
        def register(self, table: HandlerTable) -> None:
            table.add(ApiKey.METADATA, self.handle_metadata, 0, 12, metadata_error)

Handlers are plain functions that answer at once. One that must wait returns a Future (or is a coroutine function, where
a task is worth its price); it must not keep `records` of the request past its return, since they lie in a buffer that
is used again.
"""
