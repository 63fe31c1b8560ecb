"""What goes wrong, and when. Every fault ends by itself after a while; several may overlap."""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulation.brokers import SimulatedBroker
    from simulation.simulation import Simulation


class Faults:
    def __init__(self, simulation: "Simulation") -> None:
        self._simulation = simulation
        self._chance = random.Random(simulation.chance.random())
        self._network = simulation.network
        self._lacking: int | None = None
        self._faults_allowed = 0
        self.log: list[str] = []
        self._kinds: list[Callable[[], None]] = [
            self.kill,
            self.kill,
            self.kill_and_restart_at_once,
            self.pause,
            self.pause,
            self.cut_one_way,
            self.cut_off,
            self.cut_from_zookeeper,
            self.expire_session,
            self.depose_controller,
            self.kill_two,
            self.cut_power,
            self.cut_power_as_the_controller_dies,
        ]

    def start(self) -> None:
        self._later(self._chance.uniform(0.5, 2.0), self._next)

    def _next(self) -> None:
        if not self._simulation.is_ending:
            kind = self._chance.choice(self._kinds)
            if self._is_promised(kind):
                kind()
            self._later(self._chance.uniform(0.3, self._simulation.settings.fault_pause_max_s), self._next)

    def _is_promised(self, kind: Callable[[], None]) -> bool:
        """While a broker that lost records is in an ISR one more fault is survived, which may be the controller's.

        A second one could leave it as the last in-sync replica, and then it leads: that is the promise of KIP-966's
        eligible leader replicas, which ZooKeeper mode does not have.
        """
        if self._lacking is None:
            return True
        if not self._simulation.auditor.is_trusted_with_losses(self._lacking):
            self._lacking = None
            return True
        self._faults_allowed -= 1
        return self._faults_allowed >= 0 and kind != self.kill_two

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        self._simulation.loop.call_later(seconds, action)

    def _note(self, text: str) -> None:
        self.log.append(f"{self._simulation.elapsed():8.3f} {text}")

    def _session_s(self) -> float:
        return self._simulation.settings.session_timeout_ms / 1000

    # Whom

    def _victim(self) -> "SimulatedBroker | None":
        """Any running broker; the controller or a leader more often than not."""
        running = [b for b in self._simulation.brokers.values() if b.is_running and not b.process.is_paused]
        if not running:
            return None
        kind = self._chance.random()
        if kind < 0.3:
            running = [broker for broker in running if broker.is_controller] or running
        elif kind < 0.7:
            leaders = {audit.state.leader for audit in self._simulation.auditor.partitions.values() if audit.state}
            running = [broker for broker in running if broker.broker_id in leaders] or running
        return self._chance.choice(running)

    # Processes

    def kill(self) -> None:
        self._kill(self._chance.uniform(0.1, 2 * self._session_s()))

    def kill_and_restart_at_once(self) -> None:
        self._kill(0.001)

    def kill_two(self) -> None:
        self._kill(self._chance.uniform(0.1, self._session_s()))
        self._kill(self._chance.uniform(0.1, 2 * self._session_s()))

    def _kill(self, restart_after: float, *, power_cut: bool = False, broker: "SimulatedBroker | None" = None) -> None:
        broker = broker or self._victim()
        if broker is None:
            return
        self._note(f"{'cut the power of' if power_cut else 'kill'} {broker.broker_id} for {restart_after:.2f} s")
        if power_cut:
            self._lacking = broker.broker_id
            self._simulation.auditor.power_was_cut(broker.broker_id)
        broker.kill(power_cut=power_cut)
        self._later(restart_after, broker.start)

    def cut_power(self) -> None:
        """Only when every replica is in sync: a power cut of the last one in sync loses, and nothing else is promised.

        The controller may die before it knows of it: `_is_promised`.
        """
        if self._is_whole():
            self._kill(self._chance.uniform(0.1, 2 * self._session_s()), power_cut=True)
            self._faults_allowed = 1

    def cut_power_as_the_controller_dies(self) -> None:
        """The one that lost records is back before there is another controller, which must notice it first of all."""
        brokers = self._simulation.brokers.values()
        controllers = [broker for broker in brokers if broker.is_controller]
        if self._is_whole() and len(controllers) == 1:
            others = [broker for broker in brokers if broker not in controllers]
            restart_after = self._chance.uniform(0.001, self._session_s() / 2)
            self._kill(restart_after, power_cut=True, broker=self._chance.choice(others))
            self._kill(self._chance.uniform(0.1, 2 * self._session_s()), broker=controllers[0])
            self._faults_allowed = 0

    def _is_whole(self) -> bool:
        simulation = self._simulation
        brokers, audits = simulation.brokers.values(), simulation.auditor.partitions.values()
        undisturbed = not self._network.has_cuts and all(
            broker.is_serving and not broker.process.is_paused and broker.session.connected for broker in brokers
        )
        return undisturbed and all(
            audit.state is not None and len(audit.state.isr) == simulation.settings.replication_factor
            for audit in audits
        )

    def pause(self) -> None:
        broker = self._victim()
        if broker is None:
            return
        seconds = self._chance.uniform(0.1, 3 * self._session_s())
        self._note(f"pause {broker.broker_id} for {seconds:.2f} s")
        broker.pause()
        life = broker.life
        self._later(seconds, lambda: broker.resume() if broker.life == life else None)

    # Network

    def cut_one_way(self) -> None:
        source, target = self._chance.sample(sorted(self._simulation.brokers), 2)
        self._cut([(source, target)])

    def cut_off(self) -> None:
        """A broker from all others, in both directions; clients reach it."""
        alone = self._chance.choice(sorted(self._simulation.brokers))
        others = [broker for broker in self._simulation.brokers if broker != alone]
        self._cut([(alone, other) for other in others] + [(other, alone) for other in others])

    def _cut(self, links: list[tuple[int, int]]) -> None:
        seconds = self._chance.uniform(0.1, 3 * self._session_s())
        named = [(self._simulation.brokers[a].address, self._simulation.brokers[b].address) for a, b in links]
        self._note(f"cut {links} for {seconds:.2f} s")
        for link in named:
            self._network.cut(*link)

        def mend() -> None:
            for link in named:
                self._network.mend(*link)

        self._later(seconds, mend)

    # ZooKeeper

    def cut_from_zookeeper(self) -> None:
        broker = self._victim()
        if broker is None or not broker.is_serving or not broker.session.connected:
            return
        seconds = self._chance.uniform(0.1, 2 * self._session_s())
        self._note(f"cut {broker.broker_id} from ZooKeeper for {seconds:.2f} s")
        session, life = broker.session, broker.life
        broker.process.call_soon(session.disconnect)

        def mend() -> None:
            if broker.life == life and broker.is_running and not broker.process.is_paused:
                broker.process.call_soon(session.reconnect)

        self._later(seconds, mend)

    def expire_session(self) -> None:
        broker = self._victim()
        if broker is not None and broker.is_serving:
            self._note(f"expire the session of {broker.broker_id}")
            self._simulation.zookeeper.expire(broker.session)

    def depose_controller(self) -> None:
        if self._simulation.zookeeper.depose_controller():
            self._note("delete /controller")
