"""Any replica that is alive may lead, in sync or not."""

from ottla.controller import elections


def apply() -> None:
    elect = elections.elect_offline

    def unclean_elect(record, online, controller_epoch, *, unclean):  # type: ignore[no-untyped-def]
        return elect(record, online, controller_epoch, unclean=True)

    elections.elect_offline = unclean_elect
