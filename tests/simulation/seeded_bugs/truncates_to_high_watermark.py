"""KIP-101: a follower cuts its log at its high watermark, which lags behind what is acknowledged."""

from ottla.replication.partition import Partition, PartitionAssignment


def apply() -> None:
    follow = Partition.become_follower

    def become_follower(self: Partition, state: PartitionAssignment) -> bool:
        accepted = follow(self, state)
        if accepted and state.leader >= 0:
            self.log.truncate_to(self.high_watermark.offset, now_ms=0)
        return accepted

    Partition.become_follower = become_follower  # type: ignore[method-assign]
