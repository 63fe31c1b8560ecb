"""The clients on asyncio: `ottla.aio.Producer`, `ottla.aio.Consumer`, `ottla.aio.Admin`.

The same core that `ottla.Producer`, `ottla.Consumer` and `ottla.Admin` run in a thread of their own, for programs that
have an event loop already. Make them on the loop that uses them, and await what they return::

    async with ottla.aio.Admin("localhost:9092") as admin:
        print(await admin.list_topics())
"""

from ottla.clients.admin.async_admin import AsyncAdmin as Admin
from ottla.clients.consumer.async_consumer import AsyncConsumer as Consumer
from ottla.clients.producer.async_producer import AsyncProducer as Producer

__all__ = ["Admin", "Consumer", "Producer"]
