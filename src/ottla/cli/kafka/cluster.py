"""`kafka-cluster cluster-id|unregister`."""

from collections.abc import Sequence

from ottla.cli.kafka.clients import open_admin
from ottla.cli.kafka.options import ToolOptions
from ottla.cli.one_request import ask, serves
from ottla.clients.errors import broker_error
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.kraft import UnregisterBrokerRequest


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka-cluster", "The id of a cluster; forgetting a broker.")
    options.add_argument("action", choices=["cluster-id", "unregister"])
    options.value("--bootstrap-server", "-b", required=True)
    options.value("--config", "-c", help="file with properties of the client")
    options.value("--id", "-i", type=int, help="of the broker to forget")
    given = options.parse(arguments)
    with open_admin(given.bootstrap_server, given.config) as admin:
        cluster = admin.describe_cluster()
    if given.action == "cluster-id":
        print(f"Cluster ID: {cluster.cluster_id}" if cluster.cluster_id else
              "No cluster ID found. The Kafka version is probably too old.")  # fmt: skip
        return 0
    if given.id is None:
        options.fail("the following arguments are required: --id/-i")
    if not serves(given.bootstrap_server, ApiKey.UNREGISTER_BROKER):
        print("The target cluster does not support the broker unregistration API.")
        return 0
    response = ask(given.bootstrap_server, UnregisterBrokerRequest(broker_id=given.id), 0)
    if response.error_code:
        raise broker_error(response.error_code, f"broker {given.id}", response.error_message)
    print(f"Broker {given.id} is no longer registered.")
    return 0
