"""A real producer and a real consumer take the relay for a broker."""

import socket
from struct import pack

from bench.driver import begin
from bench.topics import free_port
from confluent_kafka import Consumer, Producer, TopicPartition

TOPIC = "relayed"


def test_what_is_produced_is_consumed_once_and_in_order() -> None:
    port = free_port()
    relay = begin("bench.bare_relay:serve", port=port, topic=TOPIC)
    relay.wait_ready()
    go_with_a_reset(port)
    address = {"bootstrap.servers": f"127.0.0.1:{port}"}
    producer = Producer(address | {"acks": 1, "linger.ms": 0})
    consumer = Consumer(address | {"group.id": "readers", "enable.auto.commit": False})
    consumer.assign([TopicPartition(TOPIC, 0, 0)])
    consumed = []
    for number in range(20):
        producer.produce(TOPIC, b"%d" % number, partition=0)
        assert producer.flush(30) == 0
        if number > 5:  # What comes before anybody asks is kept.
            message = consumer.poll(30)
            assert message is not None
            consumed.append((message.offset(), message.value()))
    consumer.close()
    del producer
    assert consumed == [(number, b"%d" % number) for number in range(len(consumed))]
    assert relay.result() == {}


def go_with_a_reset(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, pack("ii", 1, 0))
