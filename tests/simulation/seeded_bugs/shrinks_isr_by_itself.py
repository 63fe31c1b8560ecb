"""A leader goes on without a slow follower before the controller has written that it may."""

from ottla.replication.leadership import IsrProposal, Leadership


def apply() -> None:
    def propose(self: Leadership, proposal: IsrProposal) -> None:
        self.proposal = proposal
        self.maximal_isr = frozenset(proposal.broker_ids)

    Leadership.propose = propose  # type: ignore[method-assign]
