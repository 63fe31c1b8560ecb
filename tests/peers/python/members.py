"""Members of consumer groups behind a pipe: what all Python clients have in common.

A client gives a class whose objects are consumers with `poll(count, timeout_s) -> rows`, `commit`, `commit_async`,
`committed(topic, partition)`, `seek(topic, partition, offset)`, `pause`, `resume`, `assignment`, `close`, and a list
`events` of the rebalances it has seen.
"""

from pipe import serve


def names(partitions):
    return [f"{each.topic}-{each.partition}" for each in partitions]


class Events(list):
    """Rebalance callbacks in the order in which they came."""

    def note(self, event, partitions):
        self.append({"event": event, "partitions": names(partitions)})


def serve_members(member_class):
    members = {}

    def member(command):
        return members[command["consumer"]]

    def open_member(command):
        members[command["consumer"]] = member_class(command)
        return {}

    def poll(command):
        records = member(command).poll(command["count"], command["timeout_ms"] / 1000)
        return {"records": records, "assignment": names(member(command).assignment()), "events": member(command).events}

    def do(name):
        def operation(command):
            getattr(member(command), name)()
            return {}

        return operation

    def seek(command):
        member(command).seek(command["topic"], command["partition"], command["offset"])
        return {}

    def committed(command):
        return {"offset": member(command).committed(command["topic"], command["partition"])}

    def close(command):
        members.pop(command["consumer"]).close()
        return {}

    operations = {name: do(name) for name in ("commit", "commit_async", "pause", "resume")}
    serve({**operations, "open": open_member, "poll": poll, "seek": seek, "committed": committed, "close": close})
