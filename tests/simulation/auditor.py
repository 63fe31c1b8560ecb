"""The invariants, looked at after every event of every broker.

    single leader per epoch     no two brokers ever lead a partition in the same epoch
    monotonic epochs            a broker's leader epoch and partition epoch, and those in ZooKeeper, never go back
    current controller          in ZooKeeper: no state is written by a controller when another is in office
    leader in ISR               in ZooKeeper: the leader is in the ISR, the ISR within the replicas
    one batch per place         what was written at an offset in an epoch is the same on every replica
    committed for ever          what was once below any replica's high watermark never changes
    strong ISR                  every in-sync replica has everything that is committed
    complete leader             a new leader has everything that is committed
    monotonic high watermark    of a leader, within its epoch
    acknowledged is committed   and on min.insync.replicas replicas at least
    consistent read             what a consumer read is committed
    once                        a value is in the log once: with idempotence, and of those that are sent once
    refused is not there        what was refused with an error that says so was not written

A replica's log is mirrored here batch by batch, so that it can be looked at when its broker is dead as well.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from ottla.coordination import paths
from ottla.coordination.payloads.cluster import decode_controller_epoch
from ottla.coordination.payloads.topics import LeaderAndIsr
from ottla.model import TopicPartition
from ottla.records.batch import BatchHeader, iterate_batches
from ottla.replication.partition import Partition

if TYPE_CHECKING:
    from simulation.brokers import SimulatedBroker
    from simulation.simulation import Simulation


class Violation(Exception):
    """An invariant does not hold."""


class Batch(NamedTuple):
    base_offset: int
    next_offset: int
    epoch: int
    crc: int


class Seen(NamedTuple):
    """What was last seen of a replica: when it is the same, nothing needs to be looked at."""

    leader_id: int
    leader_epoch: int
    partition_epoch: int
    high_watermark: int
    end: int


class Mirror:
    """A replica's log and watermark as last seen."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.seen: Seen | None = None
        self.life = 0
        self.may_lack = False
        """Its disk lost what was not synced: it may lack what it once had, until it is in sync again."""

    def cut(self, offset: int) -> None:
        while self.batches and self.batches[-1].next_offset > offset:
            self.batches.pop()


class PartitionAudit:
    """One partition over the whole run."""

    def __init__(self) -> None:
        self.mirrors: dict[int, Mirror] = {}
        self.committed: list[Batch] = []
        self.commit_epochs: list[int] = []
        """For each committed batch the epoch of the leader that committed it, maybe later than the batch's own."""
        self.places: dict[tuple[int, int], int] = {}
        self.leaders: dict[int, int] = {}
        self.state: LeaderAndIsr | None = None
        self.state_zxid = -1
        self.invoked: dict[int, list[bytes]] = {}
        """The values of each batch that was sent, by its checksum."""
        self.acknowledged: dict[int, int] = {}
        self.refused: set[int] = set()

    def committed_at(self, offset: int) -> Batch | None:
        low, high = 0, len(self.committed)
        while low < high:
            middle = (low + high) // 2
            if self.committed[middle].next_offset <= offset:
                low = middle + 1
            else:
                high = middle
        return self.committed[low] if low < len(self.committed) else None


class Auditor:
    def __init__(self, simulation: "Simulation", partitions: Iterable[TopicPartition]) -> None:
        self._simulation = simulation
        self.partitions = {partition: PartitionAudit() for partition in partitions}

    # After every event

    def observe(self, broker: "SimulatedBroker") -> None:
        replicas = getattr(broker, "replicas", None)
        if replicas is None:
            return
        for name, audit in self.partitions.items():
            self._observe_state(name, audit)
            partition = replicas._topics.get(name.topic, {}).get(name.partition)
            if partition is not None:
                self._observe_replica(broker, name, audit, partition)

    def _observe_replica(
        self, broker: "SimulatedBroker", name: TopicPartition, audit: PartitionAudit, partition: Partition
    ) -> None:
        now = Seen(
            partition.leader_id,
            partition.leader_epoch,
            partition.partition_epoch,
            partition.high_watermark.offset,
            partition.log.log_end_offset,
        )
        mirror = audit.mirrors.setdefault(broker.broker_id, Mirror())
        if mirror.seen == now and mirror.life == broker.life:
            return
        before = mirror.seen if mirror.life == broker.life else None
        if before is None:
            self._begin_life(mirror, partition)
        mirror.seen, mirror.life = now, broker.life
        self._mirror_log(audit, mirror, partition)
        self._check_role(broker, name, audit, before, now)
        self._check_watermark(broker, name, audit, mirror, now)

    @staticmethod
    def _begin_life(mirror: Mirror, partition: Partition) -> None:
        """After a restart the log may end earlier than it did: recovery cuts what a power cut tore."""
        mirror.cut(partition.log.log_end_offset)

    def _mirror_log(self, audit: PartitionAudit, mirror: Mirror, partition: Partition) -> None:
        log = partition.log
        end = mirror.batches[-1].next_offset if mirror.batches else 0
        while end < log.log_end_offset:
            found = log.read(end, 1 << 20, end_offset=log.end_position, minimum_one_batch=True).slice
            assert found is not None
            data = found.read(0, len(found))
            found.close()
            for _, header in iterate_batches(data):
                self._mirror_batch(audit, mirror, header)
            end = mirror.batches[-1].next_offset

    def _mirror_batch(self, audit: PartitionAudit, mirror: Mirror, header: BatchHeader) -> None:
        batch = Batch(header.base_offset, header.next_offset, header.partition_leader_epoch, header.crc)
        known = audit.places.setdefault((batch.epoch, batch.base_offset), batch.crc)
        if known != batch.crc:
            raise Violation(f"two batches at offset {batch.base_offset} in epoch {batch.epoch}")
        if batch.crc not in audit.invoked:
            raise Violation(f"a batch at offset {batch.base_offset} that nobody sent")
        mirror.batches.append(batch)

    def _check_role(
        self, broker: "SimulatedBroker", name: TopicPartition, audit: PartitionAudit, before: Seen | None, now: Seen
    ) -> None:
        if before is not None and (now.leader_epoch, now.partition_epoch) < (
            before.leader_epoch,
            before.partition_epoch,
        ):
            raise Violation(f"{name} on broker {broker.broker_id} went from {before} back to {now}")
        if now.leader_id != broker.broker_id:
            return
        leader = audit.leaders.setdefault(now.leader_epoch, broker.broker_id)
        if leader != broker.broker_id:
            raise Violation(f"{name}: brokers {leader} and {broker.broker_id} both lead in epoch {now.leader_epoch}")
        is_new = before is None or before.leader_epoch != now.leader_epoch
        if is_new:
            what = f"{name}: the leader of epoch {now.leader_epoch}"
            self._check_complete(audit, broker.broker_id, what, now.leader_epoch)
        if not is_new and before is not None and now.high_watermark < before.high_watermark:
            raise Violation(f"{name}: the high watermark went back from {before} to {now}")

    def _check_watermark(
        self, broker: "SimulatedBroker", name: TopicPartition, audit: PartitionAudit, mirror: Mirror, now: Seen
    ) -> None:
        if now.high_watermark > now.end:
            raise Violation(f"{name} on broker {broker.broker_id}: high watermark past the end: {now}")
        index = len(audit.committed)
        known_end = audit.committed[-1].next_offset if audit.committed else 0
        if now.high_watermark <= known_end:
            self._check_prefix(name, audit, mirror, now.high_watermark)
            return
        self._check_prefix(name, audit, mirror, known_end)
        for batch in mirror.batches[index:]:
            if batch.next_offset <= now.high_watermark:
                audit.committed.append(batch)
                audit.commit_epochs.append(now.leader_epoch)
        self._check_isr(name, audit)

    @staticmethod
    def _check_prefix(name: TopicPartition, audit: PartitionAudit, mirror: Mirror, end: int) -> None:
        """Below its high watermark a replica has what is committed. From the end: that is where differences begin."""
        for index in range(min(len(mirror.batches), len(audit.committed)) - 1, -1, -1):
            if mirror.batches[index].next_offset <= end:
                if mirror.batches[index] != audit.committed[index]:
                    raise Violation(f"{name}: {audit.committed[index]} was committed, now {mirror.batches[index]} is")
                return

    def _check_isr(self, name: TopicPartition, audit: PartitionAudit) -> None:
        for member in audit.state.isr if audit.state is not None else ():
            mirror = audit.mirrors.get(member)
            if mirror is not None and not mirror.may_lack:
                self._check_complete(audit, member, f"{name}: in-sync replica")

    @staticmethod
    def _check_complete(audit: PartitionAudit, broker_id: int, what: str, epoch_end: int = 1 << 31) -> None:
        """A leader that learns of its role late need not have what later leaders committed: `epoch_end`."""
        batches = audit.mirrors[broker_id].batches
        count = len(audit.committed)
        while count and audit.commit_epochs[count - 1] >= epoch_end:
            count -= 1
        if count and (len(batches) < count or batches[count - 1] != audit.committed[count - 1]):
            missing = next(
                (batch for index, batch in enumerate(audit.committed) if batches[index : index + 1] != [batch]), None
            )
            raise Violation(f"{what} {broker_id} lacks the committed {missing}")

    # ZooKeeper

    def _observe_state(self, name: TopicPartition, audit: PartitionAudit) -> None:
        path = paths.partition_state(name)
        node = self._simulation.zookeeper.tree.nodes.get(path)
        if node is None or node.mzxid == audit.state_zxid:
            return
        audit.state_zxid = node.mzxid
        before, state = audit.state, LeaderAndIsr.decode(path, node.data or b"")
        audit.state = state
        if state.leader >= 0 and state.leader not in state.isr:
            raise Violation(f"{name}: the leader is not in sync: {state}")
        if before is not None and (state.leader_epoch, state.controller_epoch) < (
            before.leader_epoch,
            before.controller_epoch,
        ):
            raise Violation(f"{name}: {before} was overwritten with {state}")
        office = self._simulation.zookeeper.tree.nodes[paths.CONTROLLER_EPOCH]
        current = decode_controller_epoch(paths.CONTROLLER_EPOCH, office.data or b"")
        if node.mzxid > office.mzxid and state.controller_epoch < current:
            raise Violation(f"{name}: a controller of the past wrote {state} when {current} was in office")
        for member in set(state.isr) - set(before.isr if before is not None else ()):
            if member in audit.mirrors:
                audit.mirrors[member].may_lack = False
        self._check_isr(name, audit)

    # Truncation

    def watch_cuts(self, broker: "SimulatedBroker") -> None:
        """Be told of every truncation of a replica before something else takes the place of what is cut."""
        replicas = broker.replicas

        def watched(cut: Callable[[Partition, int], None]) -> Callable[[Partition, int], None]:
            def call(partition: Partition, offset: int) -> None:
                cut(partition, offset)
                audit = self.partitions.get(partition.topic_partition)
                mirror = audit.mirrors.get(broker.broker_id) if audit is not None else None
                if mirror is not None:
                    mirror.cut(partition.log.log_end_offset)

            return call

        replicas.truncate = watched(replicas.truncate)  # type: ignore[method-assign]
        replicas.start_over = watched(replicas.start_over)  # type: ignore[method-assign]

    def power_was_cut(self, broker_id: int) -> None:
        for audit in self.partitions.values():
            mirror = audit.mirrors.get(broker_id)
            if mirror is not None:
                mirror.may_lack = True

    def is_trusted_with_losses(self, broker_id: int) -> bool:
        """Whether it is in an ISR in which it was before its power was cut."""
        return any(
            audit.state is not None and broker_id in audit.state.isr and audit.mirrors[broker_id].may_lack
            for audit in self.partitions.values()
            if broker_id in audit.mirrors
        )

    # What clients saw

    def invoked(self, name: TopicPartition, crc: int, values: list[bytes]) -> None:
        self.partitions[name].invoked[crc] = values

    def refused(self, name: TopicPartition, crc: int) -> None:
        self.partitions[name].refused.add(crc)

    def acknowledged(self, name: TopicPartition, offset: int, crc: int) -> None:
        audit = self.partitions[name]
        audit.acknowledged[crc] = offset
        batch = audit.committed_at(offset)
        if batch is None or batch.base_offset != offset or batch.crc != crc:
            raise Violation(f"{name}: offset {offset} was acknowledged, and {batch} is committed there")
        holders = [broker for broker, mirror in audit.mirrors.items() if batch in mirror.batches or mirror.may_lack]
        if len(holders) < self._simulation.settings.min_insync_replicas:
            raise Violation(f"{name}: offset {offset} was acknowledged and is on brokers {holders} only")

    def consumed(self, name: TopicPartition, header: BatchHeader) -> None:
        batch = Batch(header.base_offset, header.next_offset, header.partition_leader_epoch, header.crc)
        found = self.partitions[name].committed_at(header.base_offset)
        if found != batch:
            raise Violation(f"{name}: a consumer read {batch}, and {found} is committed there")

    # At the end, when everything is well again

    def check_converged(self) -> str | None:
        """None when all replicas are in sync and equal; else what is missing."""
        for name, audit in self.partitions.items():
            if audit.state is None or len(audit.state.isr) < self._simulation.settings.replication_factor:
                return f"{name}: {audit.state}"
            replicas = [audit.mirrors[broker] for broker in audit.state.isr if broker in audit.mirrors]
            if len({tuple(mirror.batches) for mirror in replicas}) != 1:
                return f"{name}: logs end at {[len(mirror.batches) for mirror in replicas]}"
            if any(mirror.seen is None or mirror.seen.high_watermark < mirror.seen.end for mirror in replicas):
                return f"{name}: {[mirror.seen for mirror in replicas]}"
        return None

    def check_history(self) -> None:
        for name, audit in self.partitions.items():
            offsets: dict[int, list[int]] = {}
            for batch in audit.committed:
                offsets.setdefault(batch.crc, []).append(batch.base_offset)
            for crc, offset in audit.acknowledged.items():
                if offset not in offsets.get(crc, ()):
                    raise Violation(f"{name}: what was acknowledged at offset {offset} is lost")
            for crc in audit.refused & offsets.keys():
                raise Violation(f"{name}: a batch that was refused is at offset {offsets[crc][0]}")
            self._check_once(name, audit)

    @staticmethod
    def _check_once(name: TopicPartition, audit: PartitionAudit) -> None:
        places: dict[bytes, int] = {}
        for batch in audit.committed:
            for offset, value in enumerate(audit.invoked[batch.crc], batch.base_offset):
                first = places.setdefault(value, offset)
                if first != offset:
                    raise Violation(f"{name}: {value.decode()} is at offsets {first} and {offset}")
